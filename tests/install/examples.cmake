# SPDX-License-Identifier: Apache-2.0
# The installed examples: built as the project that they are (build.cmake), with the warnings of our own sources, and
# run.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
string(APPEND FLAGS " -Wall -Wextra -Wpedantic -Wconversion -Wshadow")
set(OPTIONS "-DCMAKE_COMPILE_WARNING_AS_ERROR=${WARNING_AS_ERROR}")
include("${CMAKE_CURRENT_LIST_DIR}/build.cmake")

set(work "${SCRATCH}/examples_run")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
write_rows("${work}/train.svm")
foreach(program IN ITEMS huber_on_a_device huber_regression)
  run(FOLDER "${work}" COMMAND "${BUILD}/${program}" OUTPUT output)
  if(NOT output MATCHES "loss [0-9.e+-]+ after [0-9]+ updates")
    message(FATAL_ERROR "${program} prints no loss:\n${output}")
  endif()
endforeach()
if(NOT EXISTS "${work}/run.jsonl")
  message(FATAL_ERROR "the program wrote no run record")
endif()
if(EXISTS "${BUILD}/own_command")
  run(FOLDER "${work}" COMMAND "${BUILD}/own_command" train train.svm --model positive_line --engine processes
                               --epochs 3 --quiet --save model.bin)
  run(FOLDER "${work}" COMMAND "${BUILD}/own_command" evaluate model.bin train.svm OUTPUT output)
  if(NOT output MATCHES "500 rows: loss [0-9.]+, RMSE")
    message(FATAL_ERROR "the command with a model of its own has no measures:\n${output}")
  endif()
endif()
