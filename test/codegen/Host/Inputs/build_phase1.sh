#!/usr/bin/env bash
# From emitted host files to a library whose first phase can be called: the op
# build reads the definition and generates the inner function's header; instead
# of that function, which needs kernels, a probe is linked that has to have the
# same signature.
#   build_phase1.sh DIR TYPE BINARIES     (number of kernel binaries expected)
set -euo pipefail
dir=$1 type=$2 binaries=$3
generated=$dir/generated
rm -rf "$generated" "$dir/inner"
mkdir -p "$generated" "$dir/inner"
# Tiling is not printed here; the definition only needs its address.
cat > "$dir/tiling.cpp" <<END
#include "register/op_def_registry.h"
namespace optiling {
ge::graphStatus ${type}TilingFunc(gert::TilingContext *) { return ge::GRAPH_FAILED; }
}
END
libraries=(-L "$LOSSGRAD_SDK/lib" -lnnopbase -lascendcl "-Wl,-rpath,$LOSSGRAD_SDK/lib")
g++ -std=c++11 -shared -fPIC -fvisibility=hidden -I "$LOSSGRAD_INCLUDE" "$dir"/op_host/*.cpp "$dir/tiling.cpp" \
  "${libraries[@]}" -o "$dir/all_ops.so"
"$LOSSGRAD_SDK/bin/lossgrad-opbuild" generate "$dir/all_ops.so" "$generated" --compute-unit= --prefix=aclnnInner
found=$(grep -c '"name"' "$generated/kernels.json")
if [ "$found" -ne "$binaries" ]; then
  echo "error: $found kernel binaries, expected $binaries" >&2
  exit 1
fi
"$PYTHON" "$(dirname "$0")/drive_phase1.py" inner "$dir"/op_api/aclnn_*.h "$dir"/op_graph/*_proto.h "$dir/inner"
rm "$dir"/inner/*.h
g++ -std=c++11 -shared -fPIC -fvisibility=hidden -I "$LOSSGRAD_INCLUDE" -I "$generated" "$dir"/op_api/*.cpp "$dir"/inner/*.cpp \
  "${libraries[@]}" -o "$dir/libphase1.so"
