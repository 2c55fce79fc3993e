// SPDX-License-Identifier: Apache-2.0
#include <hogwild/general_model.hpp>
#include <hogwild/models/mlp.hpp>

namespace hogwild {

template std::unique_ptr<job> make_general_job(const mlp&, const sparse_view&, label_map, const loop_options&);

}  // namespace hogwild
