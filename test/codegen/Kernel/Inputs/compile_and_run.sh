#!/usr/bin/env bash
# compile_and_run.sh WORLD EMITTED PROGRAM: compiles a test program with an
# emitted kernel and runs it. WORLD is stand-in (fast and check mode), cann81 or
# devkit91. Fails on a compile error, a wrong value or a broken rule. Without a
# PROGRAM the kernel is only compiled.
set -euo pipefail
world=$1 emitted=$2 program=${3:-compile_only}
here=$(cd "$(dirname "$0")" && pwd)
kernel=$(echo "$emitted"/op_kernel/*.cpp)
binary=$emitted/$world.out
flags=(-I "$here" "-DKERNEL_FILE=\"$kernel\"" "$here/$program.cpp" -o "$binary")
[[ $program != compile_only ]] || flags+=(-fsyntax-only)
run() { [[ $program == compile_only ]] || "$@"; }
case $world in
stand-in)
  g++ -std=c++17 -I "$LOSSGRAD_INCLUDE" "${flags[@]}" -L "$LOSSGRAD_SDK/lib" -ltikicpulib -Wl,-rpath,"$LOSSGRAD_SDK/lib"
  run "$binary"
  # The next two: rules of memory, queues and pipes, and both answers to what
  # Max and Min do with NaN.
  LOSSGRAD_MODE=check LOSSGRAD_CHECK=strict run "$binary"
  LOSSGRAD_OPEN_MAX_MIN_KEEPS_NAN=1 run "$binary"
  ;;
cann81)
  "$REAL_HEADERS_CHECK" --cann81 "$CANN81_DIR" -DREAL_HEADERS "${flags[@]}" -lpthread
  run "$binary" > "$binary.log"
  ;;
devkit91)
  "$REAL_HEADERS_CHECK" --cann81 "$CANN81_DIR" --devkit "$ASC_DEVKIT_DIR" -DREAL_HEADERS "${flags[@]}" -lpthread
  run "$binary" > "$binary.log"
  ;;
*)
  echo "unknown world '$world'" >&2
  exit 2
  ;;
esac
