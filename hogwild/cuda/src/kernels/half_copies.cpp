// SPDX-License-Identifier: Apache-2.0
#include "half_copies.hpp"

namespace hogwild::device {

void round_to_halves(const half_copy_work& work, std::size_t part, std::size_t parts) {
  round_part::train(host_warp{}, work, {}, part, parts);
}

void add_gains_of_halves(const half_copy_work& work, std::size_t part, std::size_t parts) {
  gain_part::train(host_warp{}, work, {}, part, parts);
}

}  // namespace hogwild::device
