# SPDX-License-Identifier: Apache-2.0
# run(FOLDER <dir> COMMAND <word> ... [OUTPUT <variable>]): the command must succeed; what it printed is shown where it
# does not.
function(run)
  cmake_parse_arguments(arg "" "FOLDER;OUTPUT" "COMMAND" ${ARGN})
  execute_process(COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${arg_FOLDER}" RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN arg_COMMAND " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  if(arg_OUTPUT)
    set(${arg_OUTPUT} "${output}" PARENT_SCOPE)
  endif()
endfunction()

# write_rows(<file>): 500 rows of three features out of 30; the label is a sum over the features, so that a line fits it
# exactly.
function(write_rows file)
  set(text "")
  set(state 1)
  foreach(row RANGE 1 500)
    set(columns "")
    foreach(range IN ITEMS 1 11 21)
      math(EXPR state "(${state} * 1103515245 + 12345) & 2147483647")
      math(EXPR column "${range} + (${state} >> 16) % 10")
      list(APPEND columns ${column})
    endforeach()
    list(GET columns 0 a)
    list(GET columns 1 b)
    list(GET columns 2 c)
    math(EXPR label "(${a} % 5) - (${b} % 3)")
    string(APPEND text "${label} ${a}:1 ${b}:1 ${c}:1\n")
  endforeach()
  file(WRITE "${file}" "${text}")
endfunction()
