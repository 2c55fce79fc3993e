# SPDX-License-Identifier: Apache-2.0
# Files are created in few places, which check what is already there; standard output is written in one, which checks
# that it took the text.
cmake_minimum_required(VERSION 3.25)
set(creators core/src/platform/aside_file.cpp core/src/data/dataset_writer.cpp core/src/results/run_record.cpp
    core/src/platform/trusted_file.cpp core/src/platform/trusted_file.hpp)
set(printers tools/hogwild/standard_streams.cpp)
set(faults "")
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/core/*.?pp" "${ROOT}/models/*.?pp" "${ROOT}/hogwild/*.?pp"
     "${ROOT}/hogwildpp/*.?pp" "${ROOT}/tools/generate/*.?pp" "${ROOT}/tools/hogwild/*.?pp"
     "${ROOT}/python/*.?pp")
if(NOT files)
  message(FATAL_ERROR "no sources under ${ROOT}")
endif()
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" text)
  if(text MATCHES "O_CREAT|O_TRUNC|ofstream|fopen" AND NOT file IN_LIST creators)
    list(APPEND faults "${file}: creates a file by itself, use atomic_file")
  endif()
  if(text MATCHES "std::(printf|puts|putchar|cout)|[^a-z_/]stdout[^a-z_]|STDOUT_FILENO" AND NOT file IN_LIST printers)
    list(APPEND faults "${file}: writes to standard output by itself, use print() of standard_streams.hpp")
  endif()
endforeach()
if(faults)
  list(JOIN faults "\n  " faults)
  message(FATAL_ERROR "\n  ${faults}")
endif()
