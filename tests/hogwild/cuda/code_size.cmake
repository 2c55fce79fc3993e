# SPDX-License-Identifier: Apache-2.0
# OBJECTS have at most MOST_BYTES together.
cmake_minimum_required(VERSION 3.25)
set(bytes 0)
foreach(object IN LISTS OBJECTS)
  file(SIZE "${object}" of_one)
  math(EXPR bytes "${bytes} + ${of_one}")
endforeach()
if(bytes EQUAL 0 OR bytes GREATER MOST_BYTES)
  message(FATAL_ERROR "the objects have ${bytes} bytes, and may have ${MOST_BYTES}")
endif()
message(STATUS "${bytes} bytes of ${MOST_BYTES}")
