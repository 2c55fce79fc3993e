// SPDX-License-Identifier: Apache-2.0
// Models side by side: each has the bits of the row kernels that run it alone, whatever the others hold, and nothing
// outside the rows and the parameters is read. Rows and parameters end where readable memory ends.
#include <hogwild/detail/kernels/lane_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "families.hpp"
#include "support/fresh_seed.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Parameters of several models side by side, and how a row changes them.
template <class Family>
struct side_by_side {
  Family family;
  std::size_t models;
  bool adagrad, has_l2;
  std::vector<float> w, sums, slope, step, fraction;

  side_by_side(std::mt19937_64& random, const Family& f, std::size_t n, bool by_adagrad)
      : family(f),
        models(n),
        adagrad(by_adagrad),
        has_l2(random() % 2 == 0),
        w(random_numbers(random, f.parameters() * n)),
        sums(random_sizes(random, w.size())),
        slope(random_numbers(random, f.scores() * n)),
        step(random_sizes(random, n)),
        fraction(random_sizes(random, f.columns * n)) {
    for (std::size_t j = 0; j < w.size(); j += 5) w[j] = -0.0f;
  }
  /// l2 as kernels for models side by side take it.
  std::vector<float> l2() const {
    std::vector<float> all = fraction;
    for (std::size_t i = 0; i < all.size() && !adagrad; ++i) all[i] = 1.0f / (1.0f + step[i % models] * fraction[i]);
    return all;
  }
};

template <class Case>
struct row_lanes_on : fresh_seed<> {
  using family = typename Case::family;
  using rows_type = guarded_rows<typename Case::index, typename Case::value>;
  using batch_type = row_batch<typename Case::index, typename Case::value>;

  static std::vector<bool> optimisers() {
    return family::adagrad_together ? std::vector{false, true} : std::vector{false};
  }
  /// Checks the scores of all rows, and the changes by the first one, for the kernels of all instruction sets. Models
  /// without a step must stay unchanged.
  static void expect_each_alone(const batch_type& rows, const side_by_side<family>& all) {
    const family& f = all.family;
    const std::size_t models = all.models;
    batch_type first = rows;
    first.rows = 1;
    for (const isa set : instruction_sets_here()) {
      const guarded<float> w(all.w), sums(all.sums), out(std::vector<float>(rows.rows * f.scores() * models, 42.0f)),
          l2(all.l2()), slope(all.slope), step(all.step), room(std::vector<float>(2 * f.room() * models));
      f.score_together(set, models, rows, w.data(), room.data(), out.data());
      const std::vector<float> scored = out.copy();
      f.score_together(set, models, first, w.data(), room.data(), out.data());
      f.change_together(set, models, first,
                        {w.data(), all.adagrad ? sums.data() : nullptr, room.data(), slope.data(), step.data(),
                         all.has_l2 ? l2.data() : nullptr});
      const std::vector<float> after = w.copy(), sums_after = sums.copy();
      for (std::size_t k = 0; k < models; ++k) {
        SCOPED_TRACE(std::string(name_of(set)) + ", " + f.name() + ", model " + std::to_string(k) + " of " +
                     std::to_string(models));
        expect_alone(set, rows, first, all, k, model_of(scored, models, k), model_of(after, models, k),
                     model_of(sums_after, models, k));
      }
    }
  }

 private:
  /// Expects that model k alone gets these scores, and then these parameters and sums.
  static void expect_alone(isa set, const batch_type& rows, const batch_type& first, const side_by_side<family>& all,
                           std::size_t k, const std::vector<float>& scored, const std::vector<float>& after,
                           const std::vector<float>& sums_after) {
    const family& f = all.family;
    const auto& alone = row_kernels_of<typename family::arrays, typename Case::index, typename Case::value>(set);
    const auto mine = [&](const std::vector<float>& of) { return model_of(of, all.models, k); };
    std::vector<float> w = mine(all.w), sums = mine(all.sums), slope = mine(all.slope), l2 = mine(all.fraction);
    std::vector<float> scores(rows.rows * f.scores()), room(f.room());
    alone.scores(f.in(w.data()), rows, scores.data());
    EXPECT_TRUE(same_numbers(scored, scores)) << "scores";
    const score_response given{[](void* from, std::size_t, float* s) {
                                 std::ranges::copy(*static_cast<std::vector<float>*>(from), s);
                                 return true;
                               },
                               &slope};
    if (all.step[k] != 0.0f)
      (all.adagrad ? alone.adagrad : alone.sgd)({.to = f.in(w.data()),
                                                 .sums = all.adagrad ? f.in(sums.data()) : typename family::arrays{},
                                                 .step = all.step[k],
                                                 .l2_of = all.has_l2 ? l2.data() : nullptr,
                                                 .biases = family::biases_together,
                                                 .room = room.data()},
                                                first, given);
    EXPECT_TRUE(same_numbers(after, w)) << "parameters";
    EXPECT_TRUE(same_numbers(sums_after, sums)) << "sums";
  }
};
TYPED_TEST_SUITE(row_lanes_on, all_families);

constexpr std::size_t model_counts[] = {8, 16, 32};

TYPED_TEST(row_lanes_on, each_has_the_bits_that_it_has_alone) {
  for (const auto& f : TestFixture::family::all(24)) {
    if (f.room() > 24) continue;  // narrower families with more models have runs as long
    for (const std::size_t models : model_counts) {
      for (const bool adagrad : TestFixture::optimisers()) {
        const typename TestFixture::rows_type rows(this->random, 1 + this->random() % 4, f.columns, f.columns,
                                                   this->random() % 9);
        side_by_side all(this->random, f, models, adagrad);
        this->expect_each_alone(rows.batch, all);
        all.step[3] = all.step[models - 1] = 0.0f;
        for (std::size_t j = 0; j < all.w.size(); j += models)
          all.w[j + 1] = NAN, all.w[j + 3] = INFINITY, all.w[j + 5] = -INFINITY;
        this->expect_each_alone(rows.batch, all);
      }
    }
  }
}

// The halves of long rows are converted to floats in several parts.
TYPED_TEST(row_lanes_on, and_so_it_has_on_rows_that_are_long) {
  const typename TestFixture::family f{1500, 4, false};
  for (const std::size_t models : model_counts) {
    typename TestFixture::rows_type rows(this->random, batch_rows, 1500, f.columns, 3);
    auto& [index, value, begin, end, n, dense] = rows.batch;
    for (std::size_t i = 1; i < n; ++i)
      if (end[i] - begin[i] > end[0] - begin[0]) std::swap(begin[0], begin[i]), std::swap(end[0], end[i]);
    for (const bool adagrad : TestFixture::optimisers())
      this->expect_each_alone(rows.batch, side_by_side(this->random, f, models, adagrad));
  }
}

}  // namespace
