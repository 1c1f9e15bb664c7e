#!/usr/bin/env bash
# compile_tiling.sh FOLDER: the emitted tiling sources are C++11 without
# warnings.
set -euo pipefail
for source in "$1"/op_host/*_tiling.cpp; do
  g++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only -isystem "$LOSSGRAD_INCLUDE" -I "$1/op_host" -I "$1/op_kernel" "$source"
done
