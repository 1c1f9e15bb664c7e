# The build functions that the project calls, in a form that prints the calls.
set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen)
foreach(name npu_op_package npu_op_kernel_library npu_op_kernel_sources npu_op_package_add)
  cmake_language(EVAL CODE "
    function(${name})
      message(STATUS \"${name} \${ARGN}\")
    endfunction()")
endforeach()
# The op build is there at configure time: its functions can be globbed.
function(npu_op_code_gen)
  message(STATUS "npu_op_code_gen ${ARGN}")
  file(WRITE ${ASCEND_AUTOGEN_PATH}/aclnnInner_made.cpp "")
endfunction()
function(npu_op_library target kind)
  message(STATUS "npu_op_library ${target} ${kind} ${ARGN}")
  add_library(${target} INTERFACE)
endfunction()
# Of a library that is not compiled, only the name of the property differs.
macro(target_include_directories target)
  message(STATUS "target_include_directories ${target} ${ARGN}")
endmacro()
