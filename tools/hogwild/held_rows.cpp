// SPDX-License-Identifier: Apache-2.0
#include "held_rows.hpp"

#include <utility>

#include <hogwild/error.hpp>
#include <hogwild/formats/pairs.hpp>

namespace hogwild::cli {

held_part split_off(sparse_view& rows, const std::vector<bool>& held) {
  held_part part;
  part.split = std::make_unique<const validation_split>(split_rows(rows, held));
  part.rows = part.split->validation.view();
  rows = part.split->training.view();
  return part;
}

pair_holder::pair_holder(const sparse_dataset& data, const std::string& name, bool by_time) {
  if (by_time) times_ = pair_times(data);
  if (by_time && times_.empty())
    throw config_error("last:N holds pairs back by time, and the pairs of " + name +
                       " have none: the fourth field of a line is its time");
}

std::vector<bool> pair_holder::choose(const sparse_view& pairs, const pairs_to_hold& wanted, std::uint64_t seed) {
  const std::vector<bool> held =
      wanted.last > 0 ? last_of_users(pairs, times_, wanted.last) : draw_of_users(pairs, wanted.fraction, seed);
  std::vector<double> left;
  for (std::size_t r = 0; r < times_.size(); ++r)
    if (!held[r]) left.push_back(times_[r]);
  times_ = std::move(left);
  return held;
}

}  // namespace hogwild::cli
