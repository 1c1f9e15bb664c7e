# Warnings and sanitizer flags shared by every target of the project.
#
# lossgrad_options(target): call it on each of our own targets; third-party and
# generated code stays out of it.
function(lossgrad_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
endfunction()

# For unit tests: they run for a moment and the work is in the libraries, so the
# time of the compiler counts: without optimisation it is a third.
function(lossgrad_test_options target)
  lossgrad_options(${target})
  target_compile_options(${target} PRIVATE -O0)
endfunction()

if(LOSSGRAD_SANITIZER)
  add_compile_options(-fsanitize=${LOSSGRAD_SANITIZER} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${LOSSGRAD_SANITIZER})
endif()
