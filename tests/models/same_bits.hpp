// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild::test {

/// Expects the same gradient of the model's first two rows, to the bit, by all instruction sets.
template <class M>
void expect_same_bits(const M& model, const sparse_view& rows, std::span<float> w) {
  using emissions = std::vector<std::pair<std::size_t, std::vector<float>>>;
  struct collector {
    emissions& to;
    void block(std::size_t offset, std::span<const float> g) const { to.push_back({offset, {g.begin(), g.end()}}); }
  };
  const auto gradient_by = [&](isa set) {
    auto space = model.make_workspace(rows, set, 2);
    row_cursor cursor(rows);
    for (std::size_t k = 0; k < 2; ++k) model.take(space, k, cursor.row(k), counter_random(7, k));
    emissions all;
    model.gradient(param_reader<float>(w.data(), w.size()), space, 2, collector{all});
    return all;
  };
  const emissions scalar = gradient_by(isa::scalar);
  EXPECT_FALSE(scalar.empty());
  for (const isa set : {isa::avx2, isa::avx512})
    if (has_isa(set)) {
      EXPECT_EQ(gradient_by(set), scalar);
    }
}

}  // namespace hogwild::test
