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
  # Of what is compiled here little runs more than once: the work is done in
  # MLIR's libraries. All have one level, as precompiled headers ask for.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # libstdc++ 12 sorts with what it calls deprecated itself, and LLVM's
  # stable_sort instantiates that here.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
endfunction()

# What nearly every source includes takes most of the time that it compiles: a
# source of the compiler takes 20 s without precompiled headers and 4 s with
# them, instantiated templates included.
option(LOSSGRAD_PRECOMPILED_HEADERS "Precompile the headers of MLIR and of the dialects for the compiler's libraries" ON)
set(LOSSGRAD_MLIR_HEADERS
  <mlir/Bytecode/BytecodeOpInterface.h> <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/IRMapping.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <mlir/IR/SymbolTable.h> <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/Pass.h> <llvm/ADT/MapVector.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SetVector.h>
  <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/ADT/TypeSwitch.h> <llvm/Support/FormatVariadic.h>)

# lossgrad_precompile(name headers... [LINK libs]): headers that libraries may ask for.
function(lossgrad_precompile name)
  if(NOT LOSSGRAD_PRECOMPILED_HEADERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Only its headers count.\n")
  add_library(${name} OBJECT ${source})
  _lossgrad_compiler_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  # Without the times of its headers it is the same bytes whenever it is made,
  # so that compiler caches know what was compiled with it.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()
lossgrad_precompile(lossgrad_precompiled_mlir ${LOSSGRAD_MLIR_HEADERS})

# Takes precompiled headers: those named, or those of both dialects, or of MLIR
# where the dialects are yet to be built.
function(_lossgrad_use_precompiled target)
  foreach(headers ${ARGN} lossgrad_precompiled_dialects lossgrad_precompiled_mlir)
    if(TARGET ${headers})
      target_precompile_headers(${target} REUSE_FROM ${headers})
      return()
    endif()
  endforeach()
endfunction()

# lossgrad_compiler_library(name sources... [DEPENDS targets] [LINK libs]
#   [PRECOMPILED lossgrad_precompiled_...])
function(lossgrad_compiler_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _lossgrad_compiler_flags(${name})
  _lossgrad_use_precompiled(${name} ${ARG_PRECOMPILED})
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
  # As libraries are: precompiled headers are for one kind of code.
  target_compile_options(${name} PRIVATE -fPIC)
  _lossgrad_use_precompiled(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  target_compile_definitions(${name} PRIVATE LOSSGRAD_VERSION="${PROJECT_VERSION}")
  # An installed tool finds the MLIR that it was built with.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
