# SPDX-License-Identifier: Apache-2.0
# Zstd::Zstd: .zst input. Looks in CMAKE_PREFIX_PATH, then where pkg-config points.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_Zstd QUIET libzstd)
endif()
find_path(Zstd_INCLUDE_DIR zstd.h HINTS ${PC_Zstd_INCLUDE_DIRS})
find_library(Zstd_LIBRARY zstd HINTS ${PC_Zstd_LIBRARY_DIRS})
mark_as_advanced(Zstd_INCLUDE_DIR Zstd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zstd REQUIRED_VARS Zstd_LIBRARY Zstd_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libzstd-dev")
if(Zstd_FOUND AND NOT TARGET Zstd::Zstd)
  add_library(Zstd::Zstd UNKNOWN IMPORTED)
  set_target_properties(Zstd::Zstd PROPERTIES IMPORTED_LOCATION "${Zstd_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${Zstd_INCLUDE_DIR}")
endif()
