// SPDX-License-Identifier: Apache-2.0
#include <hogwild/general_model.hpp>
#include <hogwild/models/softmax.hpp>

namespace hogwild {

template std::unique_ptr<job> make_general_job(const softmax&, const sparse_view&, label_map, const loop_options&);

}  // namespace hogwild
