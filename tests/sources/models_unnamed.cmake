# SPDX-License-Identifier: Apache-2.0
# Code that trains models asks for abilities, so that every model may have them: it includes and names none of those
# that models/CMakeLists.txt lists.
file(STRINGS "${ROOT}/models/CMakeLists.txt" lines REGEX "^hogwild_model[(]")
list(TRANSFORM lines REPLACE "^hogwild_model[(]([a-z_]+).*" "\\1" OUTPUT_VARIABLE models)
list(JOIN models "|" models)
set(files "")
foreach(folder IN ITEMS worker options sharing loop task run members stream)
  file(GLOB_RECURSE found RELATIVE "${ROOT}" "${ROOT}/hogwild/src/${folder}/*.?pp"
       "${ROOT}/hogwild/include/hogwild/detail/${folder}/*.?pp")
  list(APPEND files ${found})
endforeach()
if(NOT models OR NOT files)
  message(FATAL_ERROR "no models or no sources under ${ROOT}")
endif()
set(faults "")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" text)
  # A member of something else may have the name of a model: staleness_histogram::quantile.
  string(REGEX REPLACE "hogwild::" " " text "${text}")
  string(REGEX REPLACE "::[a-z_]+" "" text "${text}")
  if(text MATCHES "(^|[^A-Za-z0-9_])(${models})([^A-Za-z0-9_]|$)")
    list(APPEND faults "${file} names the model ${CMAKE_MATCH_2}")
  endif()
endforeach()
if(faults)
  list(JOIN faults "\n  " faults)
  message(FATAL_ERROR "\n  ${faults}\nAsk for what the model can do (<hogwild/detail/model/kernel_models.hpp>).")
endif()
