# SPDX-License-Identifier: Apache-2.0
# Builds a user's project, SOURCE, or some TARGETS of it, against the prefix. Without optimisation: this tests the
# package only.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
file(REMOVE_RECURSE "${BUILD}")
run(FOLDER "${SCRATCH}"
    COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SOURCE}" -B "${BUILD}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
            "-DCMAKE_CXX_FLAGS=${FLAGS} -O0" "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix\\;${PREFIX_PATH}"
            "-DHOGWILD_PREFIX=${SCRATCH}/prefix" ${OPTIONS})
run(FOLDER "${SCRATCH}" COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --parallel 2 ${TARGETS})
