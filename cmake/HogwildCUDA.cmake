# SPDX-License-Identifier: Apache-2.0
# Whether the component cuda drives real devices, or emulated ones alone: HOGWILD_HAS_CUDA, and one line that says so.
set(HOGWILD_HAS_CUDA FALSE)
if(HOGWILD_WITH_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # Here nvcc cannot look for a GPU of its own. CUDA 13 has nothing below 75; newer devices take the PTX of 90.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90-real 90-virtual)
    endif()
    enable_language(CUDA)
    # Releases of CMake that do not know the flag for C++20 of this nvcc.
    if(CMAKE_VERSION VERSION_LESS 3.25.2 AND NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
      list(APPEND CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
      list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
    endif()
    find_package(CUDAToolkit QUIET)
    set(HOGWILD_HAS_CUDA ${CUDAToolkit_FOUND})
  endif()
endif()
if(HOGWILD_HAS_CUDA)
  list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
  message(STATUS "Component cuda: built with CUDA ${CMAKE_CUDA_COMPILER_VERSION} (${CMAKE_CUDA_COMPILER}) for "
                 "${architectures}")
elseif(HOGWILD_WITH_CUDA STREQUAL "AUTO")
  message(STATUS "Component cuda: emulated devices alone, nvcc was not found (name it by CUDACXX, or put it into PATH)")
elseif(HOGWILD_WITH_CUDA)
  message(FATAL_ERROR "HOGWILD_WITH_CUDA is ${HOGWILD_WITH_CUDA} and nvcc was not found; name it by CUDACXX, or put it "
                      "into PATH")
else()
  message(STATUS "Component cuda: emulated devices alone, HOGWILD_WITH_CUDA is ${HOGWILD_WITH_CUDA}")
endif()

# hogwild_device_code(<library> <source> ...): adds .cu sources to a library of C++. They are objects of their own, so that
# programs that link the library are linked as C++ programs, with the static CUDA runtime, which starts without a driver.
# In this project's own builds the PTX of the sources stays, in the folder <objects>_kept beside them, for tests that read
# it: whether tests are built changes no command, so that nothing is compiled again where they are built later.
function(hogwild_device_code library)
  set(objects ${library}_device_code)
  add_library(${objects} OBJECT ${ARGN})
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
  target_compile_features(${objects} PRIVATE cuda_std_20)
  # Models use constexpr functions of the standard library. Without compression programs would be 9 MB longer; that by
  # size is for drivers that CUDA 13 asks for anyway.
  target_compile_options(${objects} PRIVATE --expt-relaxed-constexpr
                         $<IF:$<VERSION_LESS:${CMAKE_CUDA_COMPILER_VERSION},13>,-Xfatbin=-compress-all,--compress-mode=size>)
  if(HOGWILD_DEVELOPER_MODE)
    set(kept "${CMAKE_CURRENT_BINARY_DIR}/${objects}_kept")
    file(MAKE_DIRECTORY "${kept}")
    target_compile_options(${objects} PRIVATE --keep "--keep-dir=${kept}")
    # A compiler cache would not leave them.
    set_target_properties(${objects} PROPERTIES HOGWILD_KEPT "${kept}" CUDA_COMPILER_LAUNCHER "")
  endif()
  if(HOGWILD_DEVELOPER_MODE)
    target_compile_options(${objects} PRIVATE -Xcompiler=-Wall,-Wextra
                           $<$<BOOL:${CMAKE_COMPILE_WARNING_AS_ERROR}>:--Werror=all-warnings>)
  endif()
  set_target_properties(${objects} PROPERTIES CUDA_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                        COMPILE_WARNING_AS_ERROR OFF)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${library} PRIVATE CUDA::cudart_static)
  target_compile_definitions(${library} PRIVATE HOGWILD_HAS_CUDA)
endfunction()
