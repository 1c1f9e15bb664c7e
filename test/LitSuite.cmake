# The lit suites: target check-lit, and one ctest entry that runs the same.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Distributions put PyTorch beside their own python3, which need not be the
# first on the path.
foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import torch"
    RESULT_VARIABLE LOSSGRAD_HAVE_TORCH OUTPUT_QUIET ERROR_QUIET)
  if(LOSSGRAD_HAVE_TORCH EQUAL 0)
    set(Python3_EXECUTABLE ${candidate})
    break()
  endif()
endforeach()

configure_lit_site_cfg(
  ${CMAKE_CURRENT_SOURCE_DIR}/lit.site.cfg.py.in
  ${CMAKE_CURRENT_BINARY_DIR}/lit.site.cfg.py
  MAIN_CONFIG ${CMAKE_CURRENT_SOURCE_DIR}/lit.cfg.py)

# Every lossgrad tool that this build has is one that tests may run.
set(LOSSGRAD_LIT_TOOLS)
foreach(tool lossgrad-opt lossgrad-interpret lossgrad-lsp-server lossgrad-reduce
             lossgrad-tblgen lossgrad-translate lossgrad-contract lossgrad-project lossgrad-run lossgrad-compare)
  if(TARGET ${tool})
    list(APPEND LOSSGRAD_LIT_TOOLS ${tool})
  endif()
endforeach()

# The results are kept for lit_summary.py.
set(LOSSGRAD_LIT_COMMAND ${LLVM_TOOLS_BINARY_DIR}/lit -sv --order=lexical
  -o ${CMAKE_CURRENT_BINARY_DIR}/lit-results.json ${CMAKE_CURRENT_BINARY_DIR})
add_custom_target(check-lit COMMAND ${LOSSGRAD_LIT_COMMAND}
  DEPENDS ${LOSSGRAD_LIT_TOOLS} USES_TERMINAL
  COMMENT "Running the lit suites")
add_test(NAME lit COMMAND ${LOSSGRAD_LIT_COMMAND})
