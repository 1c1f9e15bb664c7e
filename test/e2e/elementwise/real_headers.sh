#!/usr/bin/env bash
# real_headers.sh WORLD SOURCE EMITTED FILE STAND_IN [same-bits]
#
# Compiles a value test on the vendor's headers and runs it: the kernels must
# compile, keep all rules and give right values there. With same-bits (no exp, ln,
# sqrt or division in the kernels) all results are the bits that the program
# STAND_IN gives. WORLD is cann81 or devkit91. CANN81_DIR, ASC_DEVKIT_DIR and
# REAL_HEADERS_CHECK (the compile script) say where things are; without them the
# exit status is 77 (skipped).
set -euo pipefail
world=$1 source=$2 emitted=$3 file=$4 stand_in=$5 same_bits=${6:-}
here=$(cd "$(dirname "$0")" && pwd)
if [[ -z ${CANN81_DIR:-} || -z ${ASC_DEVKIT_DIR:-} || -z ${REAL_HEADERS_CHECK:-} ]]; then
  echo "skipped: CANN81_DIR, ASC_DEVKIT_DIR and REAL_HEADERS_CHECK are not set"
  exit 77
fi
case $world in
cann81) headers=(--cann81 "$CANN81_DIR") ;;
devkit91) headers=(--cann81 "$CANN81_DIR" --devkit "$ASC_DEVKIT_DIR") ;;
*)
  echo "unknown world '$world'; expected cann81 or devkit91" >&2
  exit 2
  ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$REAL_HEADERS_CHECK" "${headers[@]}" -DREAL_HEADERS -O1 -I "$emitted/op_kernel" -I "$emitted/op_host" \
  -I "$here" -I "$here/../../codegen/Kernel/Inputs" "-DKERNEL_FILE=\"$emitted/op_kernel/$file.cpp\"" \
  "$source" -o "$scratch/program" -lpthread
status=0
"$scratch/program" > "$scratch/log" 2>&1 || status=$?
grep -E "HDR-|wrong|broke|expected" "$scratch/log" | head -40 || true
[[ $status == 0 ]] || { echo "the program ended with status $status"; exit 1; }
checksum() { sed -n 's/.*checksum \([0-9a-f]*\).*/\1/p' | tail -1; }
there=$(checksum < "$scratch/log")
here_bits=$("$stand_in" | checksum)
[[ -n $there && -n $here_bits ]] || { echo "a program printed no checksum"; exit 1; }
if [[ -n $same_bits && $there != "$here_bits" ]]; then
  echo "results differ: checksum $there there, $here_bits on the stand-in"
  exit 1
fi
echo "checksum $there there, $here_bits on the stand-in"
