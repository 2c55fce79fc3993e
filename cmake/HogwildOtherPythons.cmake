# SPDX-License-Identifier: Apache-2.0
# Other Pythons than the one that the module is built for, for the test python.versions: HOGWILD_OTHER_PYTHONS names
# their programs; AUTO looks for python3.10 to python3.14 along PATH and where pyenv has its versions.
#
# hogwild_find_other_pythons(<found> <without>): one a version, as "version|program|headers|suffix of modules"; and
# sentences of those that lack what the tests need.
set(HOGWILD_OTHER_PYTHONS AUTO CACHE STRING "Other Pythons that python.versions tests the module with: programs, or AUTO")

function(hogwild_find_other_pythons found_to without_to)
  set(programs ${HOGWILD_OTHER_PYTHONS})
  if(programs STREQUAL "AUTO")
    set(programs "")
    set(pyenv "$ENV{PYENV_ROOT}")
    if(NOT pyenv)
      set(pyenv "$ENV{HOME}/.pyenv")
    endif()
    foreach(minor RANGE 10 14)
      find_program(along_path_${minor} "python3.${minor}" NO_CACHE)
      file(GLOB of_pyenv "${pyenv}/versions/3.${minor}.*/bin/python3.${minor}")
      list(APPEND programs ${along_path_${minor}} ${of_pyenv})
    endforeach()
    list(FILTER programs EXCLUDE REGEX "NOTFOUND$")
  endif()

  set(asked [[
import importlib.util, os, sys, sysconfig
include = sysconfig.get_path("include")
lacks = [m for m in ("numpy", "scipy", "pytest") if importlib.util.find_spec(m) is None]
if not os.path.exists(os.path.join(include, "Python.h")): lacks.append("headers")
print("3." + str(sys.version_info.minor), include, sysconfig.get_config_var("EXT_SUFFIX"), " ".join(lacks), sep="|")]])
  set(found "")
  set(without "")
  set(versions "${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
  foreach(program IN LISTS programs)
    execute_process(COMMAND "${program}" -c "${asked}" OUTPUT_VARIABLE said RESULT_VARIABLE status ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
      if(NOT HOGWILD_OTHER_PYTHONS STREQUAL "AUTO")
        message(FATAL_ERROR "HOGWILD_OTHER_PYTHONS names ${program}, which is no Python that runs")
      endif()
      continue()  # one of pyenv's programs that stand for no version
    endif()
    string(REPLACE "|" ";" said "${said}")
    list(GET said 0 version)
    list(GET said 1 include)
    list(GET said 2 suffix)
    list(GET said 3 lacks)
    if(version IN_LIST versions)
      continue()
    elseif(lacks)
      list(APPEND without "Python ${version} (${program}) has no ${lacks}")
    else()
      list(APPEND versions "${version}")
      list(APPEND found "${version}|${program}|${include}|${suffix}")
    endif()
  endforeach()
  set(${found_to} "${found}" PARENT_SCOPE)
  set(${without_to} "${without}" PARENT_SCOPE)
endfunction()

# The module <target> for another Python, in the folder of the one that there is, whose suffix differs: built only when
# it is asked for by name. `sources` are those of the module; nanobind's are compiled with them.
function(hogwild_module_for_other_python target include suffix)
  get_target_property(of_nanobind nanobind-static SOURCES)
  list(FILTER of_nanobind INCLUDE REGEX "\\.cpp$")
  add_library(${target}_nanobind STATIC EXCLUDE_FROM_ALL ${of_nanobind})
  target_compile_definitions(${target}_nanobind PRIVATE NB_BUILD)
  target_compile_options(${target}_nanobind PRIVATE -w -fno-strict-aliasing)
  add_library(${target} MODULE EXCLUDE_FROM_ALL ${ARGN})
  foreach(part IN ITEMS ${target} ${target}_nanobind)
    target_include_directories(${part} SYSTEM PRIVATE "${include}" "${NB_DIR}/include" "${NB_DIR}/ext/robin_map/include")
    target_compile_features(${part} PRIVATE cxx_std_20)
    target_compile_options(${part} PRIVATE -fvisibility=hidden)
    set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endforeach()
  target_link_libraries(${target} PRIVATE ${target}_nanobind)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX "${suffix}")
endfunction()
