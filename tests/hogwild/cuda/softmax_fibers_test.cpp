// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernels of softmax, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/softmax_rows.cu"

#include <random>

#include <gtest/gtest.h>

#include "softmax_problem.hpp"
#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

template <class Row>
struct softmax_fibers : test::on_fibers<> {};
TYPED_TEST_SUITE(softmax_fibers, test::wide_and_narrow_rows);

TYPED_TEST(softmax_fibers, one_warp_gives_the_bits_of_the_host_form) {
  for (const bool adagrad : {false, true}) {
    for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
      for (const std::uint32_t classes : {3u, 40u}) {
        const test::softmax_problem<typename TypeParam::index, typename TypeParam::value> rows(
            this->random, test::row_lengths(this->random, 12), classes, adagrad);
        const std::uint64_t updates = test::expect_bits_of_host_form(
            rows,
            [&](device::general_work& work) {
              work.update = update;
              work.l2_rows = 0.5;
              work.system_scope = classes == 3;
            },
            [](const auto& host, const auto& work) { device::train_softmax_rows(work, host.model, 0, 1); },
            [](const auto& fibers, const auto& work) {
              return device::launch_softmax_rows(work, fibers.model, nullptr);
            });
        EXPECT_GT(updates, 0u);
      }
    }
  }
}

}  // namespace
