// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>

#include <vector>

#include <gtest/gtest.h>

#include "guarded.hpp"
#include "support/random_rows.hpp"

// Rows whose arrays end where a mapping ends: who reads one entry too many, dies.

namespace {

using namespace hogwild;
using namespace hogwild::test;

template <class Kind>
class guarded_rows : public testing::Test {};
using kinds = testing::Types<row_kind<std::uint32_t, float>, row_kind<std::uint32_t, half>,
                             row_kind<std::uint16_t, float>, row_kind<std::uint16_t, half>>;
TYPED_TEST_SUITE(guarded_rows, kinds);

TYPED_TEST(guarded_rows, nothing_behind_the_last_entry_is_read) {
  using index = typename TypeParam::index;
  using value = typename TypeParam::value;
  std::mt19937_64 random(5);
  for (std::size_t most = 1; most <= 40; ++most) {
    const std::size_t columns = 100;
    const random_rows<index, value> rows(random, 1 + random() % 3, most, columns, 0);
    const guarded<index> indices(rows.index);
    const guarded<value> values(rows.value);
    const guarded<float> w(random_numbers(random, columns));
    auto batch = rows.batch;
    batch.index = indices.data();
    batch.value = values.data();
    for (const isa set : instruction_sets_here()) {
      const auto& kernels = kernels_of<index, value>(set);
      const guarded<float> out(std::vector<float>(batch.rows, 1.0f));
      kernels.updates(w.data(), batch, out.data());
      kernels.steps(w.data(), columns, batch, {[](void*, std::size_t, float) { return 0.5f; }, nullptr});
      kernels.dots(w.data(), batch, out.data());
      std::vector<float> expected(batch.rows);
      kernels.dots(w.data(), rows.batch, expected.data());
      EXPECT_EQ(std::vector<float>(out.data(), out.data() + batch.rows), expected) << name_of(set);
    }
  }
}

TYPED_TEST(guarded_rows, nor_a_parameter_behind_the_last_or_before_the_first) {
  using index = typename TypeParam::index;
  using value = typename TypeParam::value;
  std::mt19937_64 random(6);
  const score_response none{[](void*, std::size_t, float* score) { return (*score *= 0.01f) != 0.0f; }, nullptr};
  for (std::size_t classes = 1; classes <= 70; ++classes) {
    const std::size_t columns = 12;
    const random_rows<index, value> rows(random, 4, columns, columns, 0);
    const guarded<float> w(random_numbers(random, columns * classes)),
        sums(std::vector<float>(columns * classes, 1.0f)), room{std::vector<float>(classes)},
        out{std::vector<float>(4 * classes)};
    const row_update<class_arrays> update{.to = {.weights = w.data(), .classes = classes},
                                          .sums = {.weights = sums.data(), .classes = classes},
                                          .step = 0.01f,
                                          .l2 = 0.5f,
                                          .room = room.data()};
    for (const isa set : instruction_sets_here()) {
      const auto& kernels = row_kernels_of<class_arrays, index, value>(set);
      kernels.sgd(update, rows.batch, none);
      kernels.adagrad(update, rows.batch, none);
      kernels.scores(update.to, rows.batch, out.data());
    }
  }
}

}  // namespace
