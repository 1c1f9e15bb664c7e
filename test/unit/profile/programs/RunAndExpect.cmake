# Runs a program; its exit status must be STATUS, its stderr must contain EXPECT
# and its stdout EXPECT_OUTPUT (if given).
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE messages)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "status ${status}, expected ${STATUS}:\n${output}${messages}")
endif()
if(EXPECT)
  string(FIND "${messages}" "${EXPECT}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "expected '${EXPECT}' in:\n${messages}")
  endif()
endif()
if(EXPECT_OUTPUT)
  string(FIND "${output}" "${EXPECT_OUTPUT}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "expected '${EXPECT_OUTPUT}' in:\n${output}")
  endif()
endif()
