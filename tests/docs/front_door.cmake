# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# CONTRIBUTING.md names every header that a program may include, and <hogwild/hogwild.hpp> stays small.
# Use: cmake -DROOT=<sources> -P front_door.cmake

set(most_reached 50)

# Where headers are installed from, and what they are called there.
file(GLOB bases "${ROOT}/core/include" "${ROOT}/tools/hogwild/include" "${ROOT}/hogwild/include" "${ROOT}/hogwild/mpi/include" "${ROOT}/hogwild/cuda/include"
     "${ROOT}/hogwild/nccl/include" "${ROOT}/hogwildpp/include" "${ROOT}/models/include" "${ROOT}/models/*/include")
set(headers "")
foreach(base IN LISTS bases)
  file(GLOB_RECURSE found RELATIVE "${base}" "${base}/*.hpp")
  foreach(header IN LISTS found)
    set("file_of_${header}" "${base}/${header}")
  endforeach()
  list(APPEND headers ${found})
endforeach()
set(public ${headers} hogwild/models.hpp)  # made by the build
list(FILTER public EXCLUDE REGEX "/detail/")

file(READ "${ROOT}/CONTRIBUTING.md" section)
string(REGEX REPLACE ".*\n## Front door\n" "" section "${section}")
string(REGEX REPLACE "\n## .*" "" section "${section}")
string(REGEX MATCHALL "\n[|][^|]*[|]" cells "${section}")
string(REGEX MATCHALL "<hogwild(pp)?/[A-Za-z_/]+[.]hpp>" named "${cells}")
list(TRANSFORM named REPLACE "[<>]" "")

set(faults "")
foreach(header IN LISTS public)
  string(REGEX REPLACE "^(hogwild/[a-z]+/)[a-z_]+[.]hpp$" "\\1NAME.hpp" of_folder "${header}")
  list(APPEND expected "${of_folder}")
  if(NOT of_folder IN_LIST named)
    list(APPEND faults "<${header}> is public, but CONTRIBUTING.md does not name it: list it, or move it under detail/")
  endif()
endforeach()
foreach(header IN LISTS named)
  if(NOT header IN_LIST expected)
    list(APPEND faults "<${header}> is named in CONTRIBUTING.md, but there is no such header")
  endif()
endforeach()

# The text alone counts, including what an #if leaves out.
set(reached hogwild/hogwild.hpp)
set(to_read ${reached})
while(to_read)
  list(POP_FRONT to_read header)
  if(NOT DEFINED "file_of_${header}")
    continue()  # made by the build
  endif()
  file(STRINGS "${file_of_${header}}" lines REGEX "^#include <hogwild")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include <([^>]+)>.*" "\\1" included "${line}")
    if(NOT included IN_LIST reached)
      list(APPEND reached "${included}")
      list(APPEND to_read "${included}")
    endif()
  endforeach()
endwhile()
list(LENGTH reached count)
if(count GREATER most_reached)
  list(APPEND faults "<hogwild/hogwild.hpp> reaches ${count} headers of ours, and ${most_reached} are the most: name a type in\
 advance, or move what only one model or engine needs into a header of its own")
endif()

if(faults)
  list(JOIN faults "\n" text)
  message(FATAL_ERROR "${text}")
endif()
message(STATUS "${count} headers are reached")
