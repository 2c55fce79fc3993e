# SPDX-License-Identifier: Apache-2.0
# One way to declare a library, a program, a test and a fuzzer, so that flags and labels are the same everywhere.

add_library(hogwild_flags INTERFACE)
target_compile_features(hogwild_flags INTERFACE cxx_std_20)
if(HOGWILD_DEVELOPER_MODE)
  # nvcc has options of its own: cmake/HogwildCUDA.cmake.
  target_compile_options(hogwild_flags INTERFACE
                         "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms of gcc 12 inside its own std::string and std::copy (GCC bug 105651).
    target_compile_options(hogwild_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-stringop-overflow>")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A tenth of the compiler's time, for a fourth more of memory.
    target_compile_options(hogwild_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>")
  endif()
endif()
if(HOGWILD_SANITIZE)
  target_compile_options(hogwild_flags INTERFACE -fsanitize=${HOGWILD_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  target_link_options(hogwild_flags INTERFACE -fsanitize=${HOGWILD_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Its own documentation says that sanitizers make this warning see things.
    target_compile_options(hogwild_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
  if(HOGWILD_SANITIZE MATCHES "address")
    # AddressSanitizer sees a wrong address where it is used, and processors that have kernels read at any alignment: with
    # these checks sources take a fifth longer to compile, and kernels three times as long.
    target_compile_options(hogwild_flags INTERFACE -fno-sanitize=null,alignment,pointer-overflow,object-size)
  endif()
endif()
if(HOGWILD_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HOGWILD_BUILD_FUZZERS needs clang (libFuzzer); configure with --preset asan")
  endif()
endif()

# -Ofast lets the compiler invent stores to shared parameters.
foreach(flags IN ITEMS "${CMAKE_CXX_FLAGS}" "${CMAKE_CXX_FLAGS_RELEASE}" "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
  if(flags MATCHES "-Ofast|-fallow-store-data-races")
    message(FATAL_ERROR "-Ofast and -fallow-store-data-races let the compiler invent stores to shared parameters; "
                        "use -O3 instead")
  endif()
endforeach()

# hogwild_compile_together(<target>): two dozen of its sources at a time, where HOGWILD_UNITY says so: enough for most of
# what their headers cost, few enough for two compilers to have work. What one source has at its top is then seen by the
# next: no two of a target may give their own things the same name, since which go together changes with the list.
function(hogwild_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HOGWILD_UNITY} UNITY_BUILD_BATCH_SIZE 24
                        UNITY_BUILD_CODE_BEFORE_INCLUDE
"// Two warnings are for sources that stand alone.
#pragma GCC diagnostic ignored \"-Wshadow\"
#ifndef __clang__
#pragma GCC diagnostic ignored \"-Wsubobject-linkage\"
#endif")
endfunction()

# hogwild_inner_loops(<source or target> ...): what loops over the entries of rows, or over parameters, while workers
# train: at -O3 in a release, the rest of which the preset builds at -O2. Of a template all users of the same arguments
# are named, because the linker keeps the code of one of them. A source with options of its own is compiled on its own
# (CMake leaves it out of unity builds), and the compiler inlines best what stands alone; the generated sources of tasks
# hold three models each, since their headers take long. A build under sanitizers is not about speed: there they are
# compiled together with the others of their target.
function(hogwild_inner_loops)
  if(HOGWILD_SANITIZE)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    if(TARGET ${name})
      target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O3>)
    else()
      set_property(SOURCE ${name} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
    endif()
  endforeach()
endfunction()

# hogwild_library(<component> [SOURCES ...] HEADERS ... [INTERNAL ...] [INCLUDE_DIRS ...] [PUBLIC libs ...]
#                 [PRIVATE libs ...])
#
# HEADERS lie under INCLUDE_DIRS, include/ alone where nothing is said, and are installed: those of the front door and what
# their templates need. INTERNAL ones lie there too, for other libraries of ours, and are not installed. What lies under
# src/ is the component's own. hogwild_<component>_internals gives that folder to the tests and fuzzers of internals, and
# to nothing else.
function(hogwild_library component)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;INTERNAL;INCLUDE_DIRS;PUBLIC;PRIVATE" ${ARGN})
  set(library hogwild_${component})
  if(NOT arg_INCLUDE_DIRS)
    set(arg_INCLUDE_DIRS include)
  endif()
  set(public ${arg_HEADERS})
  set(detail ${arg_HEADERS})
  list(FILTER public EXCLUDE REGEX "/detail/")
  list(FILTER detail INCLUDE REGEX "/detail/")
  if(arg_SOURCES)
    add_library(${library} ${arg_SOURCES})
    target_sources(${library} PUBLIC FILE_SET HEADERS BASE_DIRS ${arg_INCLUDE_DIRS} FILES ${public}
                              PUBLIC FILE_SET detail TYPE HEADERS BASE_DIRS ${arg_INCLUDE_DIRS} FILES ${detail})
    target_sources(${library} PRIVATE FILE_SET internal TYPE HEADERS BASE_DIRS ${arg_INCLUDE_DIRS} FILES ${arg_INTERNAL})
    target_include_directories(${library} PRIVATE src)
    target_compile_features(${library} PUBLIC cxx_std_20)
    target_link_libraries(${library} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:hogwild_flags>)
    set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    hogwild_compile_together(${library})
  else()
    add_library(${library} INTERFACE)
    target_sources(${library} INTERFACE FILE_SET HEADERS BASE_DIRS ${arg_INCLUDE_DIRS} FILES ${public}
                              INTERFACE FILE_SET detail TYPE HEADERS BASE_DIRS ${arg_INCLUDE_DIRS} FILES ${detail})
    target_compile_features(${library} INTERFACE cxx_std_20)
    target_link_libraries(${library} INTERFACE ${arg_PUBLIC})
  endif()
  add_library(hogwild::${component} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${component}
                        VERIFY_INTERFACE_HEADER_SETS ${HOGWILD_DEVELOPER_MODE})
  if(HOGWILD_UNITY)  # else those of detail/ are compiled each on its own, too
    set_target_properties(${library} PROPERTIES INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  endif()
  set_property(GLOBAL APPEND PROPERTY HOGWILD_LIBRARIES ${library})

  # OpenMP is for sources; its flag would keep tests of internals from the headers that others have compiled.
  list(REMOVE_ITEM arg_PRIVATE OpenMP::OpenMP_CXX)
  add_library(${library}_internals INTERFACE)
  target_include_directories(${library}_internals INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_link_libraries(${library}_internals INTERFACE ${library} ${arg_PRIVATE})
endfunction()

# hogwild_program(<name> SOURCES ... LIBS ...): an executable in build/<preset>/bin
function(hogwild_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} hogwild_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  hogwild_compile_together(${name})
endfunction()

# hogwild_tests(<group> TESTS names ... LIBS ... LABELS ... [PREFIX text] [DEPENDS targets ...])
#
# One GoogleTest executable of several <name>_test.cpp, and a ctest entry <prefix><name>_test for each. They are compiled
# together (HOGWILD_UNITY), because headers take most of a test's time. A name may stand in a folder: formats/libffm.
#
# Labels: unit (under a second), law, stress, process, command, device, data (needs HOGWILD_DATA_DIR), tsan (suits
# ThreadSanitizer), trains (a unit test that trains by engines).
# DEPENDS names programs that the tests run. The target hogwild_tests_<label> builds all tests of a label and nothing else.
function(hogwild_tests group)
  cmake_parse_arguments(arg "" "PREFIX" "TESTS;LIBS;LABELS;DEPENDS" ${ARGN})
  list(TRANSFORM arg_TESTS APPEND "_test.cpp" OUTPUT_VARIABLE sources)
  hogwild_test_program(${group} "${sources}" "${arg_LIBS}" hogwild_test_main "${arg_LABELS}" "${arg_DEPENDS}")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_test(NAME ${arg_PREFIX}${name} COMMAND ${group} --source=${source})
    hogwild_test_entry(${arg_PREFIX}${name} "${arg_LABELS}")
  endforeach()
endfunction()

# hogwild_test(<name> SOURCES ... LIBS ... LABELS ... [DEPENDS targets ...])
#
# One GoogleTest executable, one ctest entry: for a test that has its own main, or wants its own program for other reasons.
function(hogwild_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;LABELS;DEPENDS" ${ARGN})
  hogwild_test_program(${name} "${arg_SOURCES}" "${arg_LIBS}" GTest::gtest_main "${arg_LABELS}" "${arg_DEPENDS}")
  add_test(NAME ${name} COMMAND ${name})
  hogwild_test_entry(${name} "${arg_LABELS}")
endfunction()

# hogwild_stress_test(<group> <entry>): one of the group's tests forces contention, too.
function(hogwild_stress_test group entry)
  set_property(TEST ${entry} APPEND PROPERTY LABELS stress)
  set_tests_properties(${entry} PROPERTIES PROCESSORS 2)
  hogwild_label_target(stress ${group})
endfunction()

function(hogwild_label_target label program)
  if(NOT TARGET hogwild_tests_${label})
    add_custom_target(hogwild_tests_${label})
  endif()
  add_dependencies(hogwild_tests_${label} ${program})
endfunction()

# The linker of test programs, which takes a third of the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld HOGWILD_HAS_LLD)

# What a test computes itself is little, and compilers take most of its time. What a sanitizer finds has the lines of
# the libraries, and the names of tests: lines of tests are an eighth of what these take to compile.
function(hogwild_compile_as_test target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" OR HOGWILD_SANITIZE MATCHES "address")
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(HOGWILD_SANITIZE)
    target_compile_options(${target} PRIVATE -g0)
  endif()
endfunction()

# Headers of others that most tests include are compiled once for all programs of tests: 1.3 s of 2 to 40 for each of
# their units. Not where a compiler cache is used, which would not know such units again, or where each source stands on
# its own. A test program with options of its own says DISABLE_PRECOMPILE_HEADERS.
if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT HOGWILD_UNITY)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# What both have: `main` is the library that holds the program's main, the lists are those of hogwild_test.
function(hogwild_test_program name sources libs main labels depends)
  if(NOT labels)
    message(FATAL_ERROR "${name}: name at least one of LABELS unit law stress process command device data tsan")
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${libs} hogwild_test_support ${main} GTest::gmock hogwild_flags)
  hogwild_compile_together(${name})
  if(HOGWILD_HAS_LLD)
    target_link_options(${name} PRIVATE -fuse-ld=lld)
  endif()
  hogwild_compile_as_test(${name})
  target_precompile_headers(${name} REUSE_FROM hogwild_test_main)
  if(depends)
    add_dependencies(${name} ${depends})
  endif()
  foreach(label IN LISTS labels)
    hogwild_label_target(${label} ${name})
  endforeach()
  # Of the others ThreadSanitizer has its own, and what trains runs under AddressSanitizer by the command
  # (addresses.same_results): a sanitized build is a third of the time of all tests.
  if(NOT "tsan" IN_LIST labels AND NOT "trains" IN_LIST labels AND ("unit" IN_LIST labels OR "law" IN_LIST labels))
    hogwild_label_target(asan ${name})
  endif()
endfunction()

# Tests have no limits of their own, which would fail them on a busy machine: the test presets end those that hang after
# 1500 s. (python.versions, which builds modules, has more.)
function(hogwild_test_entry name labels)
  # In another folder CMake takes the same name, and what is set of one test may become that of the other.
  get_property(known GLOBAL PROPERTY hogwild_test_names)
  if("${name}" IN_LIST known)
    message(FATAL_ERROR "there are two tests of the name ${name}: ctest tells them apart by that alone, so rename one")
  endif()
  set_property(GLOBAL APPEND PROPERTY hogwild_test_names ${name})
  # Threads of OpenMP that wait for work would take turns with those of other tests that have some.
  set_tests_properties(${name} PROPERTIES LABELS "${labels}"
                       ENVIRONMENT "HOGWILD_DATA_DIR=${HOGWILD_DATA_DIR};OMP_WAIT_POLICY=passive")
  if("stress" IN_LIST labels OR "process" IN_LIST labels)
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  endif()
  # Begun last, one of these would be alone at the end.
  set(longest nets_sets convex_sets ring_convergence sync_command ratings_sets wikifa device_sets libsvm_bits
      stopped_workers convergence killed_workers slow_workers killed_owners conservation exchange_interrupted
      libsvm_decimals device_killed ring_killed launched_command launched_search launched_several nccl_group
      refusals)
  list(TRANSFORM longest APPEND _test)
  if("${name}" IN_LIST longest OR "data" IN_LIST labels)
    set_tests_properties(${name} PROPERTIES COST 30)
  endif()
endfunction()

# hogwild_fuzzer(<name> SOURCES ... LIBS ... [RUNS n] [CORPUS folder])
#
# A libFuzzer executable and a ctest entry (label fuzz) that feeds it RUNS inputs from a fixed seed, 25,000 by default,
# beginning with the files in CORPUS. What it finds is written to the build folder.
function(hogwild_fuzzer name)
  cmake_parse_arguments(arg "" "RUNS;CORPUS" "SOURCES;LIBS" ${ARGN})
  if(NOT arg_RUNS)
    set(arg_RUNS 25000)
  endif()
  set(corpus "${CMAKE_CURRENT_BINARY_DIR}/${name}-corpus")
  file(MAKE_DIRECTORY "${corpus}")
  if(arg_CORPUS)
    set(seeds "${CMAKE_CURRENT_SOURCE_DIR}/${arg_CORPUS}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} hogwild_flags)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  add_test(NAME ${name} COMMAND ${name} -runs=${arg_RUNS} -seed=1 -timeout=10 -rss_limit_mb=2048 "${corpus}" ${seeds}
           WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS fuzz)
  if(NOT TARGET hogwild_fuzzers)
    add_custom_target(hogwild_fuzzers)
  endif()
  add_dependencies(hogwild_fuzzers ${name})
endfunction()

# hogwild_fuzzed(<library> ...): what fuzzers are to find their way through tells them which branches an input takes.
function(hogwild_fuzzed)
  foreach(library IN LISTS ARGN)
    target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
  endforeach()
endfunction()
