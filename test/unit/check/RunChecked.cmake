# Runs a test program in check mode and counts its failures. The exit status of
# such a run is the number of findings, which tests of refusals have on purpose;
# what must hold is that no result and no message changes.
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LOSSGRAD_MODE=check
    ${PROGRAM} --gtest_output=json:${REPORT}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_QUIET)
file(READ ${REPORT} report)
string(JSON failures GET "${report}" failures)
string(JSON tests GET "${report}" tests)
if(NOT failures EQUAL 0 OR tests LESS 1)
  message(FATAL_ERROR "${failures} of ${tests} tests fail in check mode:\n${output}")
endif()
