# SPDX-License-Identifier: Apache-2.0
# The first C++ block of README must be PROGRAM byte for byte, but for the licence line on top of the file.
file(READ "${README}" readme)
file(READ "${PROGRAM}" program)
string(REGEX REPLACE "^// SPDX-License-Identifier: [^\n]*\n" "" program "${program}")

string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${README} shows no C++ program")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${readme}" ${begin} -1 shown)
string(FIND "${shown}" "```" end)
string(SUBSTRING "${shown}" 0 ${end} shown)
if(NOT shown STREQUAL program)
  message(FATAL_ERROR "the program in ${README} differs from ${PROGRAM}; copy the file, without its first line, into it")
endif()
