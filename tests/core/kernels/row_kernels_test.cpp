// SPDX-License-Identifier: Apache-2.0
// Rows are scored and trained by the formula of their family, to the same bits on every instruction set. Rows and
// parameters end where readable memory ends.
#include <hogwild/detail/kernels/row_kernels.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "families.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

template <class Case>
class row_kernels_on : public testing::Test {
 public:
  using family = typename Case::family;
  using rows_type = guarded_rows<typename Case::index, typename Case::value>;
  using batch_type = row_batch<typename Case::index, typename Case::value>;

  static const auto& kernels(isa set) {
    return row_kernels_of<typename family::arrays, typename Case::index, typename Case::value>(set);
  }
  std::vector<float> start(const family& f, float scale) {
    std::vector<float> w = random_numbers(random, f.parameters());
    for (float& x : w) x *= scale;
    f.pad(w);
    return w;
  }

  /// Makes each score the slope of a loss.
  struct losses {
    float (*slope)(float);
    std::size_t scores;
    static bool derive(void* self, std::size_t, float* s) {
      const auto& [slope, n] = *static_cast<const losses*>(self);
      std::transform(s, s + n, s, slope);
      return std::any_of(s, s + n, [](float x) { return x != 0.0f; });
    }
  };
  struct setting {
    bool adagrad = false;
    float step, l2 = 0.0f;
    const std::vector<float>* l2_of = nullptr;
  };
  /// Parameters and sums of squares after a batch.
  static arrays_of_floats trained(isa set, const family& f, const std::vector<float>& before, const setting& by,
                                  const batch_type& rows, float (*slope)(float)) {
    const guarded<float> w(before), sums(std::vector<float>(before.size(), 0.5f)), room(std::vector<float>(f.room()));
    const guarded<float> own(by.l2_of != nullptr ? *by.l2_of : std::vector<float>{});
    losses answer{slope, f.scores()};
    (by.adagrad ? kernels(set).adagrad : kernels(set).sgd)(
        {.to = f.in(w.data()),
         .sums = by.adagrad ? f.in(sums.data()) : typename family::arrays{},
         .step = by.step,
         .l2 = by.l2,
         .l2_of = by.l2_of != nullptr ? own.data() : nullptr,
         .room = room.data()},
        rows, {&losses::derive, &answer});
    return {w.copy(), sums.copy()};
  }

  std::mt19937_64 random{19};
};
TYPED_TEST_SUITE(row_kernels_on, all_families);

// A score of some 40 entries has sums of up to 40 * 64 products, each below 1 but for one in 1e8, in single precision:
// 1e-4 is a hundred times their error.
TYPED_TEST(row_kernels_on, scores_are_those_of_the_formula_and_the_same_bits_everywhere) {
  for (const auto& f : TestFixture::family::all(90)) {
    SCOPED_TRACE(f.name());
    const auto start = this->start(f, 0.1f);
    const guarded<float> w(start);
    const typename TestFixture::rows_type rows(this->random, batch_rows, 40, f.columns, f.scores() % 3);
    const auto found = same_everywhere([&](isa set) {
      const guarded<float> out(std::vector<float>(batch_rows * f.scores()));
      this->kernels(set).scores(f.in(w.data()), rows.batch, out.data());
      return arrays_of_floats{out.copy()};
    });
    std::vector<double> expected;
    for (std::size_t i = 0; i < batch_rows; ++i)
      for (const double s : f.score({start.begin(), start.end()}, rows.entries(i))) expected.push_back(s);
    expect_near(found[0], expected, 1e-4);
  }
}

TYPED_TEST(row_kernels_on, rows_are_trained_by_the_formula_and_to_the_same_bits_everywhere) {
  constexpr float step = 0.03125f;
  for (const auto& f : TestFixture::family::all(70)) {
    for (const bool adagrad : {false, true}) {
      for (const int l2 : {0, 1, 2}) {  // none, the same for all columns, one for each
        SCOPED_TRACE(f.name() + (adagrad ? ", adagrad" : "") + ", l2 " + std::to_string(l2));
        const typename TestFixture::rows_type rows(this->random, batch_rows, 40, f.columns,
                                                   static_cast<std::size_t>(l2));
        const auto before = this->start(f, 0.1f), own = random_sizes(this->random, f.columns);

        std::vector<double> w(before.begin(), before.end()), sums(w.size(), 0.5), fraction(own.begin(), own.end());
        if (l2 < 2) fraction.assign(f.columns, l2 == 1 ? 0.25 : 0.0);
        for (std::size_t i = 0; i < batch_rows; ++i) {
          const auto z = rows.entries(i);
          auto slope = f.score(w, z);
          for (double& s : slope) s = slope_of_score(s);
          f.train(w, sums, z, slope, {adagrad, static_cast<double>(step)}, fraction);
        }

        const auto found = same_everywhere([&](isa set) {
          return this->trained(set, f, before, {adagrad, step, l2 == 1 ? 0.25f : 0.0f, l2 == 2 ? &own : nullptr},
                               rows.batch, slope_of_score<float>);
        });
        expect_near(found[0], w, 1e-3);
        expect_near(found[1], sums, 1e-3);
      }
    }
  }
}

// Either all instruction sets take denormals for zero, or none does.
TYPED_TEST(row_kernels_on, denormals_give_the_same_bits) {
  for (const auto& f : TestFixture::family::all(30)) {
    SCOPED_TRACE(f.name());
    const auto before = this->start(f, 0.1f * std::numeric_limits<float>::min());
    const typename TestFixture::rows_type rows(this->random, batch_rows, 30, f.columns, 0);
    same_everywhere([&](isa set) {
      return this->trained(set, f, before, {.step = 0.125f, .l2 = 0.5f}, rows.batch, [](float) { return 1e-38f; });
    });
  }
}

TYPED_TEST(row_kernels_on, a_row_without_entries_changes_the_biases_alone_and_no_rows_nothing) {
  for (const auto& f : TestFixture::family::all(3)) {
    SCOPED_TRACE(f.name());
    const std::vector<float> ones(f.parameters(), 1.0f);
    std::vector<float> expected = ones;
    std::fill(expected.end() - static_cast<std::ptrdiff_t>(f.biases()), expected.end(), 0.0f);
    for (const std::size_t rows : {0u, 1u}) {
      const auto found = same_everywhere([&](isa set) {
        return this->trained(set, f, ones, {.step = 0.5f}, {.rows = rows}, [](float) { return 2.0f; });
      });
      EXPECT_EQ(found[0], rows == 0 ? ones : expected);
    }
  }
}

}  // namespace
