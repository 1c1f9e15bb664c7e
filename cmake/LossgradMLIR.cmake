# MLIR 22 as a package: its TableGen helpers, and our own library and tool
# functions, which link the dylibs (libMLIR, libLLVM) rather than hundreds of
# static archives. Compiler code has neither exceptions nor RTTI, as in LLVM.
find_package(MLIR REQUIRED CONFIG)
message(STATUS "MLIR in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(LOSSGRAD_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
function(_lossgrad_compiler_flags target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_definitions(${target} PUBLIC ${LOSSGRAD_LLVM_DEFINITIONS})
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  lossgrad_options(${target})
endfunction()

# lossgrad_compiler_library(name sources... [DEPENDS targets] [LINK libs])
function(lossgrad_compiler_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _lossgrad_compiler_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# lossgrad_compiler_tool(name sources... [LINK libs])
function(lossgrad_compiler_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _lossgrad_compiler_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  # An installed tool finds the MLIR that it was built with.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
