// SPDX-License-Identifier: Apache-2.0
#include <hogwild/general_model.hpp>
#include <hogwild/models/graph_cut.hpp>

namespace hogwild {

template std::unique_ptr<job> make_general_job(const graph_cut&, const sparse_view&, label_map, const loop_options&);

}  // namespace hogwild
