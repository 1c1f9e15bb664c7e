# Warnings and sanitizer flags shared by every target of the project.
#
# lossgrad_options(target): call it on each of our own targets; third-party and
# generated code stays out of it.
function(lossgrad_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
endfunction()

if(LOSSGRAD_SANITIZER)
  add_compile_options(-fsanitize=${LOSSGRAD_SANITIZER} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${LOSSGRAD_SANITIZER})
endif()
