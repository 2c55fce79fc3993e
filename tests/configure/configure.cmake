# SPDX-License-Identifier: Apache-2.0
# Configures the project anew with ARGUMENTS: it must print NOTE, a regular expression, and fail if FAILS is set.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${SCRATCH}")
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SOURCE}" -B "${SCRATCH}"
                        "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
                        "-DCMAKE_PREFIX_PATH=${PREFIX_PATH}" ${ARGUMENTS}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " said "${output}")
file(REMOVE_RECURSE "${SCRATCH}")
if(FAILS AND status EQUAL 0)
  message(FATAL_ERROR "it configures, though it cannot:\n${output}")
elseif(NOT FAILS AND NOT status EQUAL 0)
  message(FATAL_ERROR "it does not configure:\n${output}")
elseif(NOT said MATCHES "${NOTE}")
  message(FATAL_ERROR "it does not say '${NOTE}':\n${output}")
endif()
