// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/sampler.hpp>

namespace hogwild {

std::size_t row_sampler::drawn(std::size_t position) const {
  switch (order_) {
    case row_order::permuted:
      return permutation_(position);
    case row_order::replacement:
      return draw_.below(position, rows_);
    case row_order::chunked:
    case row_order::sequential:
      break;
  }
  return position;
}

}  // namespace hogwild
