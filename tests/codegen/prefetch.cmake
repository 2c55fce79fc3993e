# SPDX-License-Identifier: Apache-2.0
# Compiles the loops of a FAMILY of kernels and looks for a prefetch: gcc 12 drops calls of functions that do nothing
# else, before it inlines them.
if(NOT PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  message("skipped, because the names of instructions are those of x86-64 and this is ${PROCESSOR}")
  return()
endif()
list(TRANSFORM INCLUDES PREPEND -I)
file(READ "${SOURCE}" source)
string(REPLACE "FAMILY" "${FAMILY}" source "${source}")
string(REPLACE "LOOPS" "${FAMILY}_loops" source "${source}")
file(WRITE "${OUT}" "${source}")
execute_process(COMMAND "${COMPILER}" -std=c++20 -O3 -DNDEBUG -Wno-psabi -S -o - ${INCLUDES} "${OUT}"
                RESULT_VARIABLE status OUTPUT_VARIABLE assembly ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the loops of ${FAMILY} do not compile:\n${errors}")
endif()
if(NOT assembly MATCHES "\tprefetch")
  message(FATAL_ERROR "the loops of ${FAMILY} prefetch nothing, though they say so")
endif()
