# SPDX-License-Identifier: Apache-2.0
# Precompiles the header SOURCE for compilations with the flags of compile.cmake.
list(TRANSFORM INCLUDES PREPEND -I)
execute_process(COMMAND "${COMPILER}" -std=c++20 ${INCLUDES} -x c++-header "${SOURCE}" -o "${RESULT}"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} does not compile:\n${output}")
endif()
