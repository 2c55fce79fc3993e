# SPDX-License-Identifier: Apache-2.0
# An installed example for each package of pkg-config, compiled and linked with the flags of that package alone.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
set(examples "${SCRATCH}/prefix/${DOCDIR}/examples")
set(work "${SCRATCH}/by_pkg_config")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
set(ENV{PKG_CONFIG_PATH} "${SCRATCH}/prefix/${LIBDIR}/pkgconfig")
separate_arguments(given_flags UNIX_COMMAND "${FLAGS}")
foreach(pair IN ITEMS hogwild=huber_regression hogwild-pp=any_engine hogwild-cuda=huber_on_a_device
                      hogwild-command=own_command)
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 package)
  list(GET pair 1 program)
  if(package STREQUAL "hogwild-command" AND NOT EXISTS "$ENV{PKG_CONFIG_PATH}/${package}.pc")
    continue()
  endif()
  run(FOLDER "${SCRATCH}" COMMAND pkg-config --cflags --libs ${package} OUTPUT flags)
  string(REGEX REPLACE "[ \n]+" ";" flags "${flags}")
  run(FOLDER "${work}" COMMAND "${COMPILER}" ${given_flags} -O0 -DENGINE=ring_engine -o by_pkg_config
                               "${examples}/${program}.cpp" ${flags})
endforeach()
