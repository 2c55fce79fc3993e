# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts down: the libraries with their headers, one export file a component, and the command.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hogwild")
get_property(libraries GLOBAL PROPERTY HOGWILD_LIBRARIES)
set(hogwild_components "")
foreach(library IN LISTS libraries)
  get_target_property(component ${library} EXPORT_NAME)
  list(APPEND hogwild_components ${component})
  install(TARGETS ${library} EXPORT hogwild-${component} ARCHIVE LIBRARY RUNTIME
          FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT hogwild-${component} NAMESPACE hogwild:: DESTINATION "${package_dir}")
endforeach()
if(TARGET hogwild)
  install(TARGETS hogwild RUNTIME)
  # The scripts of its commands, where it looks for them.
  set(scripts_dir "${CMAKE_INSTALL_DATADIR}/hogwild/bench")
  install(PROGRAMS bench/run DESTINATION "${scripts_dir}")
  install(DIRECTORY bench/suite bench/tasks bench/contestants DESTINATION "${scripts_dir}" FILES_MATCHING PATTERN "*.py")
endif()

list(JOIN hogwild_components " " hogwild_components)
configure_package_config_file(cmake/hogwildConfig.cmake.in "${PROJECT_BINARY_DIR}/hogwildConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hogwildConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hogwildConfig.cmake" "${PROJECT_BINARY_DIR}/hogwildConfigVersion.cmake"
              cmake/FindZstd.cmake cmake/FindxxHash.cmake cmake/FindHwloc.cmake
        DESTINATION "${package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
