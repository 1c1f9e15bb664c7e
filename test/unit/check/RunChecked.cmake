# Runs a test program in check mode and counts its failures. The exit status of
# such a run is the number of findings, which tests of refusals have on purpose;
# what must hold is that the program comes to its end, and that no result and no
# message changes.
file(REMOVE ${REPORT})
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LOSSGRAD_MODE=check
    ${PROGRAM} --gtest_output=json:${REPORT}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
# A signal has a name instead of a number.
if(NOT status MATCHES "^[0-9]+$" OR NOT EXISTS ${REPORT})
  message(FATAL_ERROR "the program did not come to its end (${status}):\n${output}\n${errors}")
endif()
file(READ ${REPORT} report)
string(JSON failures GET "${report}" failures)
string(JSON tests GET "${report}" tests)
if(NOT failures EQUAL 0 OR tests LESS 1)
  message(FATAL_ERROR "${failures} of ${tests} tests fail in check mode:\n${output}")
endif()
