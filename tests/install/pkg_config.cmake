# SPDX-License-Identifier: Apache-2.0
# An installed example for each package of pkg-config: compiled with the flags of that package alone, and linked with its
# libraries from the object that install.examples has made. Packages that add folders to those of hogwild are only
# preprocessed, in a tenth of the time.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
set(examples "${SCRATCH}/prefix/${DOCDIR}/examples")
set(objects "${SCRATCH}/examples/CMakeFiles")
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
  foreach(kind IN ITEMS cflags libs)
    run(FOLDER "${SCRATCH}" COMMAND pkg-config --${kind} ${package} OUTPUT ${kind})
    separate_arguments(${kind} UNIX_COMMAND "${${kind}}")
  endforeach()
  set(stage -E -o preprocessed)
  if(package STREQUAL "hogwild")
    set(stage -fsyntax-only)
  endif()
  run(FOLDER "${work}" COMMAND "${COMPILER}" ${given_flags} -DENGINE=ring_engine ${stage}
                               "${examples}/${program}.cpp" ${cflags})
  file(GLOB object "${objects}/*.dir/${program}.cpp.o")
  run(FOLDER "${work}" COMMAND "${COMPILER}" ${given_flags} -o by_pkg_config ${object} ${libs})
endforeach()
