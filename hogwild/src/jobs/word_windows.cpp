// SPDX-License-Identifier: Apache-2.0
#include <hogwild/general_model.hpp>
#include <hogwild/models/cbow.hpp>
#include <hogwild/models/skip_gram.hpp>

namespace hogwild {

template std::unique_ptr<job> make_general_job(const skip_gram&, const sparse_view&, label_map, const loop_options&);
template std::unique_ptr<job> make_general_job(const cbow&, const sparse_view&, label_map, const loop_options&);

}  // namespace hogwild
