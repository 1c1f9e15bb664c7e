# lossgrad_sanitized_test(program [filter]): in a sanitizer build, `program`
# joins the target sanitized-tests and runs as one test with the label
# sanitized. One process per program, not per test: the start of a sanitizer
# costs more than most tests, and races between tests show as well. `filter` is
# a GoogleTest filter that keeps what is slow under a sanitizer out.
function(lossgrad_sanitized_test program)
  if(NOT LOSSGRAD_SANITIZER)
    return()
  endif()
  if(NOT TARGET sanitized-tests)
    add_custom_target(sanitized-tests)
  endif()
  add_dependencies(sanitized-tests ${program})
  set(filter "*")
  if(ARGC GREATER 1)
    set(filter "${ARGV1}")
  endif()
  add_test(NAME sanitized.${program} COMMAND ${program} --gtest_filter=${filter})
  # The runtime catches faults of kernels itself; a sanitizer must not be first.
  set_tests_properties(sanitized.${program} PROPERTIES
    LABELS sanitized TIMEOUT 600
    ENVIRONMENT "ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:detect_stack_use_after_return=0;TSAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:halt_on_error=0")
endfunction()
