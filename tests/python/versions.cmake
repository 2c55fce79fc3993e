# SPDX-License-Identifier: Apache-2.0
# Builds the module for each of OTHERS, "version
# program
# headers
# suffix", in BUILD_DIR, and runs a short part of the tests with it. WITHOUT names the Pythons for which that cannot be
# done.
foreach(sentence IN LISTS WITHOUT)
  message("left out: ${sentence}")
endforeach()
if(NOT OTHERS)
  message("skipped: there is no other Python with numpy, scipy, pytest and its headers; HOGWILD_OTHER_PYTHONS names some")
  return()
endif()

set(tests "")
foreach(test IN ITEMS package data refusals hostile jobs)
  list(APPEND tests "${CMAKE_CURRENT_LIST_DIR}/${test}_test.py")
endforeach()
foreach(other IN LISTS OTHERS)
  string(REPLACE "|" ";" other "${other}")
  list(GET other 0 version)
  list(GET other 1 program)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD_DIR}" --target hogwild_python_${version}
                  OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "The module is not built for Python ${version}:\n${said}")
  endif()
  message("Python ${version} (${program}):")
  execute_process(COMMAND "${program}" -m pytest -q -rs -p no:cacheprovider ${tests} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "Tests fail with Python ${version}.")
  endif()
endforeach()
