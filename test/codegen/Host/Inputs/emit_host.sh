#!/usr/bin/env bash
# All host files of operator records, below a folder.
#   emit_host.sh DIR RECORD.td...
set -euo pipefail
dir=$1
shift
rm -rf "$dir"
mkdir -p "$dir"
for record; do
  lossgrad-tblgen "$record" -o "$dir/operator.mlir"
  for kind in opdef infershape aclnn proto; do
    lossgrad-translate --mlir-to-$kind "$dir/operator.mlir" -o "$dir/$kind.txt"
    split-file --no-leading-lines "$dir/$kind.txt" "$dir/$kind"
    cp -r "$dir/$kind"/op_* "$dir"
    rm -rf "$dir/$kind" "$dir/$kind.txt"
  done
done
