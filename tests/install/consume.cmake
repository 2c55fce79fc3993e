# SPDX-License-Identifier: Apache-2.0
# Install, configure, build, run: each step must succeed, and the program must print what its loss is. The program is
# compiled without optimisation: it is the package that is looked at.
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

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/run")
run(FOLDER "${SCRATCH}" COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${SCRATCH}/prefix")
run(FOLDER "${SCRATCH}"
    COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CONSUMER}" -B build "-DCMAKE_CXX_COMPILER=${COMPILER}"
            "-DCMAKE_CXX_FLAGS=${FLAGS} -O0"
            "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix\\;${PREFIX_PATH}" "-DPROGRAM=${PROGRAM}"
            "-DDEVICE_PROGRAM=${DEVICE_PROGRAM}" "-DCOMMAND_PROGRAM=${COMMAND_PROGRAM}")
run(FOLDER "${SCRATCH}" COMMAND "${CMAKE_COMMAND}" --build build)

# 500 rows of three features out of 30; the label is a sum over the features, so that a line fits it exactly.
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
file(WRITE "${SCRATCH}/run/train.svm" "${text}")
run(FOLDER "${SCRATCH}/run" COMMAND "${SCRATCH}/build/device" OUTPUT output)
if(NOT output MATCHES "loss [0-9.e+-]+ after [0-9]+ updates")
  message(FATAL_ERROR "the program's output has no loss on a device:\n${output}")
endif()
run(FOLDER "${SCRATCH}/run" COMMAND "${SCRATCH}/build/consumer" OUTPUT output)
if(NOT output MATCHES "loss [0-9.e+-]+ after [0-9]+ updates")
  message(FATAL_ERROR "the program's output has no loss:\n${output}")
endif()
if(NOT EXISTS "${SCRATCH}/run/run.jsonl")
  message(FATAL_ERROR "the program wrote no run record")
endif()
if(COMMAND_PROGRAM)
  run(FOLDER "${SCRATCH}/run" COMMAND "${SCRATCH}/build/own_command" train train.svm --model positive_line --engine processes
                                      --epochs 3 --quiet --save model.bin)
  run(FOLDER "${SCRATCH}/run" COMMAND "${SCRATCH}/build/own_command" evaluate model.bin train.svm OUTPUT output)
  if(NOT output MATCHES "500 rows: loss [0-9.]+, RMSE")
    message(FATAL_ERROR "the command with a model of its own has no measures:\n${output}")
  endif()
endif()

# Without CMake.
set(ENV{PKG_CONFIG_PATH} "${SCRATCH}/prefix/${LIBDIR}/pkgconfig")
run(FOLDER "${SCRATCH}" COMMAND pkg-config --cflags --libs hogwild-pp OUTPUT flags)
string(REGEX REPLACE "[ \n]+" ";" flags "${flags}")
separate_arguments(given_flags UNIX_COMMAND "${FLAGS}")
run(FOLDER "${SCRATCH}" COMMAND "${COMPILER}" ${given_flags} -O0 -o by_pkg_config build/ring.cpp ${flags})
run(FOLDER "${SCRATCH}" COMMAND "${SCRATCH}/by_pkg_config")

# What was installed goes, and nothing else.
file(WRITE "${SCRATCH}/prefix/${LIBDIR}/of_others.txt" "")
run(FOLDER "${SCRATCH}" COMMAND "${CMAKE_COMMAND}" --build "${BUILD_DIR}" --target uninstall)
file(GLOB_RECURSE left RELATIVE "${SCRATCH}/prefix" "${SCRATCH}/prefix/*")
if(NOT left STREQUAL "${LIBDIR}/of_others.txt")
  message(FATAL_ERROR "uninstalling left this: ${left}")
endif()
file(GLOB_RECURSE left LIST_DIRECTORIES true RELATIVE "${SCRATCH}/prefix" "${SCRATCH}/prefix/*")
list(FILTER left INCLUDE REGEX "hogwild")
if(left)
  message(FATAL_ERROR "uninstalling left empty folders: ${left}")
endif()
