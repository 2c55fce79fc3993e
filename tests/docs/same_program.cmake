# SPDX-License-Identifier: Apache-2.0
# One C++ block of DOCUMENT must be PROGRAM byte for byte, but for the licence line on top of the file.
file(READ "${DOCUMENT}" document)
file(READ "${PROGRAM}" program)
string(REGEX REPLACE "^// SPDX-License-Identifier: [^\n]*\n" "" program "${program}")

string(FIND "${document}" "```cpp\n${program}```" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${DOCUMENT} does not show ${PROGRAM} as it is; copy the file, without its first line, into it")
endif()
