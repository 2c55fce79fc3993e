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
          FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
          FILE_SET detail DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT hogwild-${component} NAMESPACE hogwild:: DESTINATION "${package_dir}")
endforeach()
if(TARGET hogwild)
  install(TARGETS hogwild RUNTIME)
  # The scripts of its commands, where it looks for them.
  set(scripts_dir "${CMAKE_INSTALL_DATADIR}/hogwild/bench")
  install(PROGRAMS bench/run bench/report bench/compare bench/reproduce DESTINATION "${scripts_dir}")
  install(FILES bench/catalogue.json bench/tasks.py DESTINATION "${scripts_dir}")
  install(DIRECTORY bench/suite bench/contestants bench/papers bench/schema DESTINATION "${scripts_dir}"
          FILES_MATCHING PATTERN "*.py" PATTERN "*.json")
endif()
# Programs to begin with, which are a project of their own, and the pages.
install(DIRECTORY tools/examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(CODE "set(SOURCES \"${PROJECT_SOURCE_DIR}\")
set(PAGES \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")")
install(SCRIPT "${PROJECT_SOURCE_DIR}/cmake/InstalledPages.cmake")

list(JOIN hogwild_components " " hogwild_components)
configure_package_config_file(cmake/hogwildConfig.cmake.in "${PROJECT_BINARY_DIR}/hogwildConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hogwildConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hogwildConfig.cmake" "${PROJECT_BINARY_DIR}/hogwildConfigVersion.cmake"
              cmake/FindZstd.cmake cmake/FindxxHash.cmake cmake/FindHwloc.cmake
        DESTINATION "${package_dir}")

# For builds that do not use CMake: what hogwild::engine is linked with, and hogwild::pp.
function(install_pkg_config pc_name pc_description pc_requires pc_flags pc_libraries)
  set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH pc_to_prefix "/prefix/${folder}" "/prefix")
  string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
  configure_file(cmake/hogwild.pc.in "${PROJECT_BINARY_DIR}/${pc_name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${pc_name}.pc" DESTINATION "${folder}")
endfunction()
install_pkg_config(hogwild "${PROJECT_DESCRIPTION}" "tbb, zlib, liblzma, libzstd, libxxhash, hwloc"
                   "-std=c++20 -pthread ${OpenMP_CXX_FLAGS}"
                   "-lhogwild_engine -lhogwild_models -lhogwild_core -lbz2 -pthread ${OpenMP_CXX_FLAGS}")
install_pkg_config(hogwild-pp "Replicas of hogwild's models on a ring" hogwild "" -lhogwild_pp)
set(cuda_runtime "")
if(HOGWILD_HAS_CUDA)
  set(cuda_runtime " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt")
endif()
install_pkg_config(hogwild-cuda "Devices as workers of hogwild" hogwild "" "-lhogwild_cuda${cuda_runtime} -ldl")
if(TARGET hogwild_command)
  set(command_requires hogwild-pp)
  set(command_libraries "-lhogwild_command -lhogwild_nccl -lhogwild_cuda${cuda_runtime} -ldl")
  if(HOGWILD_HAS_MPI)
    # By the name of its library: what MPI's own pkg-config file is called differs from release to release.
    list(JOIN MPI_CXX_LIBRARIES " " mpi_libraries)
    string(REPLACE " -lhogwild_nccl" " -lhogwild_mpi ${mpi_libraries} -lhogwild_nccl" command_libraries
           "${command_libraries}")
  endif()
  install_pkg_config(hogwild-command "The hogwild command for models of a program" "${command_requires}" ""
                     "${command_libraries}")
endif()

# Takes back what the last `cmake --install` of this build put down, and the folders that are empty then.
add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
                                    -P "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake" VERBATIM)

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
