# The op build: says how it was called and leaves what the project globs. The
# libraries of the toolkit are named here, but need not be there.
function(opbuild)
  cmake_parse_arguments(ARG "" "OUT_DIR" "OPS_SRC" ${ARGN})
  message(STATUS "opbuild with prefix $ENV{OPS_PROJECT_NAME}")
  file(WRITE ${ARG_OUT_DIR}/aclnnInner_made.cpp "")
  file(WRITE ${ARG_OUT_DIR}/op_proto.cc "")
  file(WRITE ${ARG_OUT_DIR}/op_proto.h "")
endfunction()
foreach(name exe_graph register tiling_api rt2_registry nnopbase ascendcl)
  add_library(${name} INTERFACE)
endforeach()
