// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for the sources that compile the tasks of the library's own models.

#include <memory>
#include <utility>

#include <hogwild/general_model.hpp>

namespace hogwild {

template <free_model M>
std::unique_ptr<training_task> make_library_task(const M& m, const sparse_view& data, label_map labels,
                                                 const loop_options& options) {
  return make_general_task(m, data, std::move(labels), options);
}

}  // namespace hogwild
