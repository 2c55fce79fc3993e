# SPDX-License-Identifier: Apache-2.0
# Compiles SOURCE as the good or the bad VARIANT and tests the outcome.
list(TRANSFORM INCLUDES PREPEND -I)
string(TOUPPER "${VARIANT}" define)
if(PART)
  string(REPLACE ";" "\\;" part "-D${PART}=${TEXT}")
endif()
execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only -D${define} ${part} ${INCLUDES} "${SOURCE}"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(VARIANT STREQUAL "good")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} must compile with GOOD defined:\n${output}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles with BAD defined, and must not")
elseif(NOT output MATCHES "${MESSAGE}")
  message(FATAL_ERROR "${SOURCE} fails as it should, but no message matches '${MESSAGE}':\n${output}")
endif()
