// SPDX-License-Identifier: Apache-2.0
#include <hogwild/general_model.hpp>
#include <hogwild/models/factorization_machine.hpp>

namespace hogwild {

template std::unique_ptr<job> make_general_job(const factorization_machine&, const sparse_view&, label_map,
                                               const loop_options&);

}  // namespace hogwild
