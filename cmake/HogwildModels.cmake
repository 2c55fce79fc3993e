# SPDX-License-Identifier: Apache-2.0
# From the list of models in models/CMakeLists.txt: the library's sources, <hogwild/models.hpp>, and what the engine
# compiles for each.

# hogwild_model(<name> [GENERAL] [SOURCES names ...] [HEADERS names ...])
#
# A model is the folder models/<name>: include/hogwild/models/<name>.hpp is its type, <name>.cpp its descriptor; SOURCES
# and HEADERS are what it has besides. GENERAL is a model whose worker loops are compiled for it, once, in the library;
# any other is a margin model, whose loops know no model.
function(hogwild_model name)
  cmake_parse_arguments(arg "GENERAL" "" "SOURCES;HEADERS" ${ARGN})
  if(arg_GENERAL)
    set_property(GLOBAL APPEND PROPERTY HOGWILD_GENERAL_MODELS ${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY HOGWILD_MODELS ${name})
  foreach(source IN LISTS arg_SOURCES ITEMS ${name})
    set_property(GLOBAL APPEND PROPERTY HOGWILD_MODEL_SOURCES "${name}/${source}.cpp")
  endforeach()
  foreach(header IN LISTS arg_HEADERS ITEMS ${name})
    set_property(GLOBAL APPEND PROPERTY HOGWILD_MODEL_HEADERS "${name}/include/hogwild/models/${header}.hpp")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY HOGWILD_MODEL_FOLDERS "${name}/include")
endfunction()

# Writes <folder>/hogwild/models.hpp with the types of all models.
function(hogwild_write_models folder)
  get_property(models GLOBAL PROPERTY HOGWILD_MODELS)
  list(JOIN models ",\n                                 " types)
  set(includes "")
  set(descriptors "")
  foreach(model IN LISTS models)
    string(APPEND includes "#include <hogwild/models/${model}.hpp>\n")
    string(APPEND descriptors "template <>\nconst model_descriptor& descriptor_of<${model}>();\n")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/models/models.hpp.in" "${folder}/hogwild/models.hpp" @ONLY)
endfunction()

# Writes the sources into `folder` that compile the worker loops of the general models, three models each: enough for
# most of what their headers cost. Sets `sources` to their names.
function(hogwild_write_tasks folder sources)
  get_property(models GLOBAL PROPERTY HOGWILD_GENERAL_MODELS)
  set(written "")
  while(models)
    list(SUBLIST models 0 3 some)
    list(REMOVE_ITEM models ${some})
    set(includes "")
    set(tasks "")
    foreach(model IN LISTS some)
      string(APPEND includes "#include <hogwild/models/${model}.hpp>\n")
      string(APPEND tasks "template std::unique_ptr<training_task> make_library_task(const ${model}&, const sparse_view&, "
                          "label_map, const loop_options&);\n")
    endforeach()
    list(JOIN some "_" name)
    file(CONFIGURE OUTPUT "${folder}/${name}.cpp" @ONLY CONTENT
"// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/library_task.hpp>
@includes@
namespace hogwild {

@tasks@
}  // namespace hogwild
")
    list(APPEND written "${folder}/${name}.cpp")
  endwhile()
  set(${sources} "${written}" PARENT_SCOPE)
endfunction()
