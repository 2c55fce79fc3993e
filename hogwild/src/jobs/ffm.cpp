// SPDX-License-Identifier: Apache-2.0
#include <hogwild/general_model.hpp>
#include <hogwild/models/ffm.hpp>

namespace hogwild {

template std::unique_ptr<job> make_general_job(const ffm&, const sparse_view&, label_map, const loop_options&);

}  // namespace hogwild
