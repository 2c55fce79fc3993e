# SPDX-License-Identifier: Apache-2.0
# A general model of a user's program, with the members that kernels ask for: built (build.cmake), and trained.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
string(APPEND FLAGS " -Wall -Wextra -Wpedantic -Wconversion -Wshadow")
set(OPTIONS "-DCMAKE_COMPILE_WARNING_AS_ERROR=${WARNING_AS_ERROR}")
include("${CMAKE_CURRENT_LIST_DIR}/build.cmake")
write_rows("${BUILD}/train.svm")
run(FOLDER "${BUILD}" COMMAND "${BUILD}/kernel_model" OUTPUT output)
message(STATUS "${output}")
