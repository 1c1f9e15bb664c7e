#!/usr/bin/env bash
# Compiles every emitted host file below a folder, syntax only: op_host in the
# three modes of OP_ADD, all in C++11 without warnings. A whole project also has
# tiling, which shares a header with the kernels, and examples.
#   compile_host.sh DIR INCLUDE...
set -euo pipefail
dir=$1
shift
includes=()
for folder; do includes+=(-isystem "$folder"); done
inner=$dir/inner
mkdir -p "$inner"
for header in "$dir"/op_api/aclnn_*.h; do
  name=$(basename "$header" .h)
  # The prototype that goes with a header declares the same parameters.
  record=$(sed -n 's/.*aclnnStatus aclnn\(.*\)GetWorkspaceSize($/\1/p' "$header")
  proto=$(grep -l "REG_OP(Lossgrad$record)" "$dir"/op_graph/*_proto.h)
  "$PYTHON" "$(dirname "$0")/drive_phase1.py" inner "$header" "$proto" "$inner" || { echo "error: $name" >&2; exit 1; }
done
count=0
compile() {
  ${CXX:-g++} -std=c++11 -D_GLIBCXX_USE_CXX11_ABI=0 -fsyntax-only -Wall -Wextra -Werror -Wno-attributes "${includes[@]}" -I "$inner" -I "$dir/op_kernel" "$@"
  count=$((count + 1))
}
for source in "$dir"/op_host/*.cpp; do
  compile "$source"
  compile -DOP_PROTO_LIB "$source"
  compile -DOP_TILING_LIB "$source"
done
for source in "$dir"/op_api/*.cpp; do compile "$source"; done
for source in "$dir"/examples/*.cpp; do
  if [[ -e $source ]]; then compile -I "$dir/op_api" "$source"; fi
done
for header in "$dir"/op_graph/*.h "$dir"/op_host/*.h "$dir"/op_api/*.h; do compile -x c++ -Wno-error "$header"; done
echo "$count compilations passed"
