# SPDX-License-Identifier: Apache-2.0
# Whether the component mpi is built: HOGWILD_HAS_MPI, and one line that says so.
set(HOGWILD_HAS_MPI FALSE)
if(HOGWILD_WITH_MPI)
  set(MPI_CXX_SKIP_MPICXX TRUE)  # the C++ bindings that MPI has given up
  find_package(MPI QUIET COMPONENTS CXX)
  set(HOGWILD_HAS_MPI ${MPI_CXX_FOUND})
endif()
if(HOGWILD_HAS_MPI)
  message(STATUS "Component mpi: built with MPI ${MPI_CXX_VERSION} (${MPI_CXX_COMPILER})")
elseif(HOGWILD_WITH_MPI STREQUAL "AUTO")
  message(STATUS "Component mpi: not built, MPI was not found (on Debian and Ubuntu: apt-get install libopenmpi-dev "
                 "openmpi-bin)")
elseif(HOGWILD_WITH_MPI)
  message(FATAL_ERROR "HOGWILD_WITH_MPI is ${HOGWILD_WITH_MPI} and MPI was not found; on Debian and Ubuntu: apt-get "
                      "install libopenmpi-dev openmpi-bin")
else()
  message(STATUS "Component mpi: not built, HOGWILD_WITH_MPI is ${HOGWILD_WITH_MPI}")
endif()
