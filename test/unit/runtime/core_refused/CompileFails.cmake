# Compiles SOURCE against the SDK, which must fail and print every text of the
# list EXPECTED.
execute_process(
  COMMAND ${CXX} -std=c++17 -fsyntax-only ${SOURCE} -I ${SDK}/include
  RESULT_VARIABLE status ERROR_VARIABLE errors OUTPUT_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()
foreach(text ${EXPECTED})
  string(FIND "${errors}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "'${text}' is not among the errors:\n${errors}")
  endif()
endforeach()
