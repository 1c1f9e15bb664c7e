# Building a custom-operator project against the stand-in for CANN.
#
#   lossgrad_add_custom_ops(TARGET cust_opapi PROJECT_DIR dir
#     [SOCS ascend910b ...]         compute units (default: all configured)
#     [PREFIX aclnnInner]           prefix of the generated API; with another
#                                   prefix than aclnn it stays internal
#     [HOST_SOURCES ...]            default: op_host/*.cpp
#     [API_SOURCES ...]             default: op_api/*.cpp
#     [KERNEL_DIR dir]              default: op_kernel
#     [KERNEL_DEPENDS ...]          default: every file under KERNEL_DIR
#     [KERNEL_FLAGS ...]            more compiler flags for kernels
#     [INCLUDE_DIRECTORIES ...]     more include folders, host and kernel
#     [DEPENDS ...]                 targets or files to be made first
#     [HEADER_DIRECTORY dir]        where to put a copy of the public headers
#     [OUTPUT_DIRECTORY dir])       default: the binary directory
#
# makes lib<TARGET>.so, which exports the operators' aclnn functions and nothing
# else, and beside it the folder <TARGET>.ops with the tiling and inference
# libraries and the kernels. Library and folder belong together: move or install
# both. Programs link TARGET, whose include folders hold the generated headers.
#
# Works inside this project and, through find_package(LossgradSDK), outside.

set(_LOSSGRAD_CUSTOM_OPS_FILE ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")

# Run as a script, this file copies the aclnn headers of a folder, and removes
# those that it copied before and that are no longer there.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.16)
  file(GLOB headers RELATIVE ${FROM} ${FROM}/aclnn*.h)
  set(before "")
  if(EXISTS ${LIST})
    file(STRINGS ${LIST} before)
  endif()
  foreach(header IN LISTS before)
    if(NOT header IN_LIST headers)
      file(REMOVE ${TO}/${header})
    endif()
  endforeach()
  foreach(header IN LISTS headers)
    file(COPY ${FROM}/${header} DESTINATION ${TO})
  endforeach()
  string(REPLACE ";" "\n" headers "${headers}")
  file(WRITE ${LIST} "${headers}\n")
  return()
endif()

# What the host does in a call takes microseconds; more than -O1 costs only the
# time of the compiler.
set(_LOSSGRAD_HOST_OPTIMISATION "$<$<CONFIG:Release>:-O1>" CACHE INTERNAL "")

function(_lossgrad_sdk name out)
  if(TARGET LossgradSDK::${name})
    set(${out} LossgradSDK::${name} PARENT_SCOPE)
  else()
    set(${out} ${name} PARENT_SCOPE)
  endif()
endfunction()

# A library of the op_host sources, compiled with a definition or none.
function(_lossgrad_host_library target output directory define)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDES" ${ARGN})
  _lossgrad_sdk(nnopbase nnopbase)
  add_library(${target} SHARED ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${nnopbase})
  target_include_directories(${target} PRIVATE ${ARG_INCLUDES})
  target_compile_options(${target} PRIVATE -fvisibility=hidden -Wno-unused-function ${_LOSSGRAD_HOST_OPTIMISATION})
  if(define)
    target_compile_definitions(${target} PRIVATE ${define})
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output}
    LIBRARY_OUTPUT_DIRECTORY ${directory} CXX_STANDARD_REQUIRED ON
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/..")
  # Generated sources are short beside the headers that they include, and no two
  # of them define the same name: whoever knows that may put several into one
  # translation unit.
  if(LOSSGRAD_HOST_BATCH)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${LOSSGRAD_HOST_BATCH})
  endif()
endfunction()

function(lossgrad_add_custom_ops)
  cmake_parse_arguments(ARG "" "TARGET;PROJECT_DIR;PREFIX;KERNEL_DIR;HEADER_DIRECTORY;OUTPUT_DIRECTORY"
    "SOCS;HOST_SOURCES;API_SOURCES;KERNEL_DEPENDS;KERNEL_FLAGS;INCLUDE_DIRECTORIES;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lossgrad_add_custom_ops: unknown arguments '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT ARG_TARGET OR NOT ARG_PROJECT_DIR)
    message(FATAL_ERROR "lossgrad_add_custom_ops: TARGET and PROJECT_DIR are required")
  endif()
  get_filename_component(project ${ARG_PROJECT_DIR} ABSOLUTE)
  if(NOT ARG_KERNEL_DIR)
    set(ARG_KERNEL_DIR ${project}/op_kernel)
  endif()
  if(NOT ARG_OUTPUT_DIRECTORY)
    set(ARG_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  if(NOT ARG_HOST_SOURCES)
    file(GLOB ARG_HOST_SOURCES CONFIGURE_DEPENDS ${project}/op_host/*.cpp)
  endif()
  if(NOT ARG_HOST_SOURCES)
    message(FATAL_ERROR "lossgrad_add_custom_ops: no op_host/*.cpp in '${project}'")
  endif()
  if(NOT ARG_API_SOURCES)
    file(GLOB ARG_API_SOURCES CONFIGURE_DEPENDS ${project}/op_api/*.cpp)
  endif()
  if(NOT ARG_KERNEL_DEPENDS)
    file(GLOB_RECURSE ARG_KERNEL_DEPENDS CONFIGURE_DEPENDS ${ARG_KERNEL_DIR}/*)
  endif()
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX aclnn)
  endif()
  foreach(name nnopbase ascendcl tikicpulib lossgrad-opbuild)
    _lossgrad_sdk(${name} sdk_${name})
  endforeach()

  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${ARG_TARGET}.generated)
  set(ops ${ARG_OUTPUT_DIRECTORY}/${ARG_TARGET}.ops)
  set(includes ${project}/op_host ${project} ${ARG_KERNEL_DIR} ${ARG_INCLUDE_DIRECTORIES})

  # 1. The host sources: description, tiling and inference. The toolkit compiles
  # them three times, once for each meaning of OP_ADD; once for all of them does,
  # unless a source asks which of the three it is compiled for.
  set(thrice OFF)
  foreach(source IN LISTS ARG_HOST_SOURCES)
    if(EXISTS ${source})
      file(STRINGS ${source} modes REGEX "OP_(TILING|PROTO)_LIB" LIMIT_COUNT 1)
      if(modes)
        set(thrice ON)
      endif()
    endif()
  endforeach()
  if(thrice)
    set(description ${ARG_TARGET}_all_ops)
    set(host_libraries ${ARG_TARGET}_all_ops ${ARG_TARGET}_opmaster ${ARG_TARGET}_opsproto)
    _lossgrad_host_library(${ARG_TARGET}_all_ops ${ARG_TARGET}_all_ops
      ${generated} "" SOURCES ${ARG_HOST_SOURCES} INCLUDES ${includes})
    _lossgrad_host_library(${ARG_TARGET}_opmaster cust_opmaster_rt2.0 ${ops}
      OP_TILING_LIB SOURCES ${ARG_HOST_SOURCES} INCLUDES ${includes})
    _lossgrad_host_library(${ARG_TARGET}_opsproto cust_opsproto_rt2.0 ${ops}
      OP_PROTO_LIB SOURCES ${ARG_HOST_SOURCES} INCLUDES ${includes})
  else()
    set(description ${ARG_TARGET}_opmaster)
    set(host_libraries ${ARG_TARGET}_opmaster)
    # What an earlier build may have left would register everything again.
    file(REMOVE ${ops}/libcust_opsproto_rt2.0.so)
    _lossgrad_host_library(${ARG_TARGET}_opmaster cust_opmaster_rt2.0 ${ops}
      LOSSGRAD_OP_ALL SOURCES ${ARG_HOST_SOURCES} INCLUDES ${includes})
  endif()

  # 2. The API and the kernel plan, generated from the description.
  add_custom_command(
    OUTPUT ${generated}/lossgrad_generated.cpp ${generated}/kernels.json
           ${generated}/generate.stamp
    COMMAND $<TARGET_FILE:${sdk_lossgrad-opbuild}> generate
            $<TARGET_FILE:${description}> ${generated}
            "--compute-unit=${ARG_SOCS}" --prefix=${ARG_PREFIX}
    COMMAND ${CMAKE_COMMAND} -E touch ${generated}/generate.stamp
    DEPENDS ${description} ${sdk_lossgrad-opbuild}
    COMMENT "Generating the aclnn functions of ${ARG_TARGET}" VERBATIM)

  # 3. The kernels, one binary per row and architecture.
  set(flags "")
  set(link_flags "--link-flag=-L$<TARGET_FILE_DIR:${sdk_tikicpulib}>" --link-flag=-ltikicpulib)
  if(LOSSGRAD_SANITIZER)
    list(APPEND flags --flag=-fsanitize=${LOSSGRAD_SANITIZER} --flag=-g)
    list(APPEND link_flags --link-flag=-fsanitize=${LOSSGRAD_SANITIZER})
  endif()
  foreach(flag IN LISTS ARG_KERNEL_FLAGS)
    list(APPEND flags "--flag=${flag}")
  endforeach()
  foreach(directory ${project} ${ARG_INCLUDE_DIRECTORIES})
    list(APPEND flags "--include=${directory}")
  endforeach()
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    list(APPEND flags "--launcher=${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
  get_filename_component(sdk_include "${LOSSGRAD_SDK_INCLUDE_DIR}" ABSOLUTE)
  add_custom_command(
    OUTPUT ${generated}/kernels.stamp
    COMMAND $<TARGET_FILE:${sdk_lossgrad-opbuild}> kernels ${generated}/kernels.json
            ${ARG_KERNEL_DIR} ${ops}/kernels --include=${sdk_include}
            --compiler=${CMAKE_CXX_COMPILER} ${flags} ${link_flags}
    # For reports that show the lines of a kernel, wherever the folder goes.
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${ops}/sources
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${ARG_KERNEL_DIR} ${ops}/sources
    COMMAND ${CMAKE_COMMAND} -E touch ${generated}/kernels.stamp
    DEPENDS ${generated}/generate.stamp ${ARG_KERNEL_DEPENDS} ${sdk_tikicpulib}
            ${sdk_lossgrad-opbuild} ${ARG_DEPENDS} ${LOSSGRAD_SDK_HEADERS_STAMP}
    COMMENT "Compiling the kernels of ${ARG_TARGET}" VERBATIM)
  add_custom_target(${ARG_TARGET}_kernels DEPENDS ${generated}/kernels.stamp)

  # 4. The library that programs link. What it includes is generated, and only
  # the stamp tells that it changed.
  set_source_files_properties(${generated}/lossgrad_generated.cpp ${ARG_API_SOURCES}
    PROPERTIES OBJECT_DEPENDS ${generated}/generate.stamp)
  add_library(${ARG_TARGET} SHARED ${generated}/lossgrad_generated.cpp ${ARG_API_SOURCES})
  add_dependencies(${ARG_TARGET} ${ARG_TARGET}_kernels ${host_libraries})
  foreach(part ${host_libraries} ${ARG_TARGET})
    if(ARG_DEPENDS)
      add_custom_target(${part}_first DEPENDS ${ARG_DEPENDS})
      add_dependencies(${part} ${part}_first)
    endif()
  endforeach()
  target_include_directories(${ARG_TARGET} PUBLIC ${generated} ${project}/op_api PRIVATE ${includes})
  target_compile_options(${ARG_TARGET} PRIVATE -fvisibility=hidden ${_LOSSGRAD_HOST_OPTIMISATION})
  target_link_libraries(${ARG_TARGET} PUBLIC ${sdk_nnopbase} ${sdk_ascendcl})
  set(exports ${generated}/exports.map)
  file(WRITE ${exports} "{ global: aclnn*; local: *; };\n")
  target_link_options(${ARG_TARGET} PRIVATE "-Wl,--version-script=${exports}")
  # The library finds the SDK beside it, where it is part of it, or else where
  # it was built with.
  set(rpath "$ORIGIN")
  if(NOT ARG_OUTPUT_DIRECTORY STREQUAL "${_lossgrad_sdk}/lib")
    list(APPEND rpath $<TARGET_FILE_DIR:${sdk_nnopbase}>)
  endif()
  set_target_properties(${ARG_TARGET} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${ARG_OUTPUT_DIRECTORY}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${rpath}")
  if(ARG_HEADER_DIRECTORY)
    # The generated headers are public only under the public prefix.
    set(folders ${project}/op_api)
    if(ARG_PREFIX STREQUAL aclnn)
      list(APPEND folders ${generated})
    endif()
    foreach(folder IN LISTS folders)
      get_filename_component(name ${folder} NAME)
      add_custom_command(TARGET ${ARG_TARGET} POST_BUILD
        COMMAND ${CMAKE_COMMAND} -DFROM=${folder} -DTO=${ARG_HEADER_DIRECTORY}
                -DLIST=${generated}/headers_of_${name}.txt
                -P ${_LOSSGRAD_CUSTOM_OPS_FILE} VERBATIM)
    endforeach()
  endif()
endfunction()
