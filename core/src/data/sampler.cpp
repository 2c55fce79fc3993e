// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/sampler.hpp>

namespace hogwild {

std::size_t row_sampler::drawn(std::size_t position) const {
  return order_ == row_order::permuted ? permutation_(position) : draw_.below(position, rows_);
}

}  // namespace hogwild
