# Compiles one program as a user would and runs it. A source that says
# "EXPECT-FAILURE: text" must end with a non-zero status and that text on
# stderr; every other one must end with 0, also under strict checks. One that
# says "PRODUCT: title" must run on that product, as profile mode tells.
execute_process(
  COMMAND ${CXX} -std=c++17 ${SOURCE} -I ${SDK}/include -L ${SDK}/lib
    -ltikicpulib -Wl,-rpath,${SDK}/lib -o ${PROGRAM}
  RESULT_VARIABLE status ERROR_VARIABLE messages)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "does not compile:\n${messages}")
endif()
execute_process(COMMAND ${PROGRAM}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE messages)
file(STRINGS ${SOURCE} expected REGEX "EXPECT-FAILURE: ")
if(expected)
  list(GET expected 0 expected)
  string(REGEX REPLACE ".*EXPECT-FAILURE: " "" expected "${expected}")
  string(FIND "${messages}" "${expected}" position)
  if(status EQUAL 0 OR position EQUAL -1)
    message(FATAL_ERROR "status ${status}, expected a failure with '${expected}':\n${messages}")
  endif()
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "status ${status}:\n${output}${messages}")
else()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env
    LOSSGRAD_MODE=check LOSSGRAD_CHECK=strict ${PROGRAM}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE messages)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "check mode, status ${status}:\n${output}${messages}")
  endif()
  file(STRINGS ${SOURCE} product REGEX "PRODUCT: ")
  if(product)
    string(REGEX REPLACE ".*PRODUCT: " "" product "${product}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LOSSGRAD_MODE=profile
      LOSSGRAD_PROFILE_DIR=${PROGRAM}-profile ${PROGRAM}
      RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE messages)
    string(FIND "${output}${messages}" "${product}" position)
    if(NOT status EQUAL 0 OR position EQUAL -1)
      message(FATAL_ERROR "profile mode, status ${status}, expected '${product}':\n${output}${messages}")
    endif()
  endif()
endif()
