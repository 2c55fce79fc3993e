# SPDX-License-Identifier: Apache-2.0
# Whether near rows are found by an index, too: HOGWILD_HAS_HNSWLIB, and one line that says so. The package has headers
# alone, and on Debian 12 no CMake files.
set(HOGWILD_HAS_HNSWLIB FALSE)
if(HOGWILD_WITH_HNSWLIB)
  find_path(HNSWLIB_INCLUDE_DIR hnswlib/hnswlib.h)
  mark_as_advanced(HNSWLIB_INCLUDE_DIR)
  if(HNSWLIB_INCLUDE_DIR)
    set(HOGWILD_HAS_HNSWLIB TRUE)
  endif()
endif()
if(HOGWILD_HAS_HNSWLIB)
  message(STATUS "neighbors --index: built on hnswlib")
elseif(HOGWILD_WITH_HNSWLIB STREQUAL "AUTO")
  message(STATUS "neighbors --index: not built, hnswlib was not found (on Debian and Ubuntu: apt-get install libhnswlib-dev)")
elseif(HOGWILD_WITH_HNSWLIB)
  message(FATAL_ERROR "HOGWILD_WITH_HNSWLIB is ${HOGWILD_WITH_HNSWLIB} and hnswlib was not found; on Debian and Ubuntu: "
                      "apt-get install libhnswlib-dev")
else()
  message(STATUS "neighbors --index: not built, HOGWILD_WITH_HNSWLIB is ${HOGWILD_WITH_HNSWLIB}")
endif()
