#!/usr/bin/env bash
# emit_device.sh FOLDER RECORD: kernels and tiling of a record, into op_kernel/
# and op_host/ of the folder.
set -euo pipefail
folder=$1 record=$2
rm -rf "$folder"
mkdir -p "$folder"
lossgrad-tblgen --locations "$record" |
  lossgrad-opt --lossgrad-to-ascendc -o "$folder/kernels.mlir"
for part in ascendc tiling; do
  lossgrad-translate "--mlir-to-$part" "$folder/kernels.mlir" -o "$folder/$part.txt"
  split-file "$folder/$part.txt" "$folder/$part"
done
mv "$folder/ascendc/op_kernel" "$folder/tiling/op_host" "$folder"
