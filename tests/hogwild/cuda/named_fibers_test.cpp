// SPDX-License-Identifier: Apache-2.0
// The device form of the kernels of a program's models, run thread by thread.
#include "support/simt.hpp"
//
#include "named_models.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "margin_problem.hpp"
#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

template <class Row>
struct named_fibers : test::on_fibers<> {
  using problem = test::margin_problem<typename Row::index, typename Row::value>;

  /// How many of the numbers that both forms of the kernels leave have the same bits.
  template <class M>
  double same(const M& model, const test::margin_training& training, update_kind update, bool system_scope) {
    problem host(random, test::row_lengths(random, 20), training);
    problem fibers = host;
    std::uint64_t updates = 0, device_updates = 0;
    device::general_work work = test::with_bias_group(host.work()), device_work = test::with_bias_group(fibers.work());
    work.updates = &updates;
    device_work.updates = &device_updates;
    work.update = device_work.update = update;
    device_work.system_scope = system_scope;
    const device::named_kernels& kernels = test::kernels_by_name<M>();
    kernels.train(work, test::bytes_of(model), 0, 1);
    EXPECT_EQ(kernels.launch(device_work, test::bytes_of(model), nullptr), 0);
    EXPECT_EQ(device_updates, updates);
    EXPECT_GT(updates, 0u);
    std::size_t same = 0;
    for (std::size_t j = 0; j < host.weights.size(); ++j)
      same += std::memcmp(&host.weights[j], &fibers.weights[j], sizeof(float)) == 0 &&
              std::memcmp(&host.sums[j], &fibers.sums[j], sizeof(float)) == 0;
    return static_cast<double>(same) / static_cast<double>(host.weights.size());
  }
};
TYPED_TEST_SUITE(named_fibers, test::wide_and_narrow_rows);

TYPED_TEST(named_fibers, one_warp_gives_the_bits_of_the_host_form) {
  const test::device_logistic model{.features = TestFixture::problem::columns};
  for (const bool adagrad : {false, true}) {
    for (const double l2 : {0.0, 2.0}) {
      for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
        const test::margin_training training{.step = 0.1, .l2_rows = l2, .adagrad = adagrad};
        EXPECT_EQ(this->same(model, training, update, false), 1.0);
        EXPECT_EQ(this->same(model, training, update, true), 1.0);
      }
    }
  }
  EXPECT_EQ(this->same(test::device_huber{.features = TestFixture::problem::columns}, {}, update_kind::lossy, false),
            1.0);
}

TYPED_TEST(named_fibers, margin_models_of_programs_have_their_own_derivative) {
  typename TestFixture::problem rows(this->random, test::row_lengths(this->random, 20), {.step = 0.01, .bias = true});
  const std::vector<double> expected = rows.trained([](double m, double y) {
    const double gap = std::max(0.0, 1 - m * y);
    return -y * gap * gap;
  });
  const test::device_cubic_hinge model{};
  EXPECT_EQ(
      test::kernels_by_name<test::device_cubic_hinge>().launch_margin(rows.work(), test::bytes_of(model), nullptr), 0);
  EXPECT_LE(test::relative_error(rows.weights, expected), 1e-5);
}

}  // namespace
