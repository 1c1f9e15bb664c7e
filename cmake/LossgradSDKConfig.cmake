# find_package(LossgradSDK): the stand-in for CANN as imported targets, found
# relative to this file, so that a build tree's sdk/ and an installed one are
# the same thing. Targets: LossgradSDK::ascendcl, ::nnopbase, ::opapi,
# ::tikicpulib and ::lossgrad-opbuild. Function: lossgrad_add_custom_ops.
get_filename_component(_lossgrad_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(LOSSGRAD_SDK_INCLUDE_DIR ${_lossgrad_sdk}/include)
# What kernels are compiled with; the operators' own headers are not among it.
file(GLOB_RECURSE LOSSGRAD_SDK_HEADERS_STAMP ${_lossgrad_sdk}/include/*)
list(FILTER LOSSGRAD_SDK_HEADERS_STAMP EXCLUDE REGEX "/include/aclnnop/")

foreach(_library ascendcl nnopbase opapi tikicpulib)
  if(NOT TARGET LossgradSDK::${_library})
    add_library(LossgradSDK::${_library} SHARED IMPORTED)
    set_target_properties(LossgradSDK::${_library} PROPERTIES
      IMPORTED_LOCATION ${_lossgrad_sdk}/lib/lib${_library}.so
      INTERFACE_INCLUDE_DIRECTORIES ${_lossgrad_sdk}/include)
  endif()
endforeach()
set_target_properties(LossgradSDK::ascendcl PROPERTIES
  IMPORTED_LINK_DEPENDENT_LIBRARIES LossgradSDK::tikicpulib)
set_target_properties(LossgradSDK::nnopbase PROPERTIES
  INTERFACE_LINK_LIBRARIES LossgradSDK::ascendcl
  IMPORTED_LINK_DEPENDENT_LIBRARIES LossgradSDK::tikicpulib)
set_target_properties(LossgradSDK::opapi PROPERTIES
  INTERFACE_LINK_LIBRARIES LossgradSDK::nnopbase)
if(NOT TARGET LossgradSDK::lossgrad-opbuild)
  add_executable(LossgradSDK::lossgrad-opbuild IMPORTED)
  set_target_properties(LossgradSDK::lossgrad-opbuild PROPERTIES
    IMPORTED_LOCATION ${_lossgrad_sdk}/bin/lossgrad-opbuild)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/LossgradCustomOps.cmake)
