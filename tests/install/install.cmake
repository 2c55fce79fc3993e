# SPDX-License-Identifier: Apache-2.0
# Installs into an empty prefix, which the other tests of this folder look at.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
run(FOLDER "${SCRATCH}" COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${SCRATCH}/prefix")
