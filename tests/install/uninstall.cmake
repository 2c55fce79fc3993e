# SPDX-License-Identifier: Apache-2.0
# Removes what was installed, and nothing else.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
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
