// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of skip_gram: against double precision, and against the step of CPU workers.
#include "kernels/window_rows.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/workspace_step.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/models/skip_gram.hpp>

#include "kernel_family.hpp"
#include "margin_problem.hpp"
#include "support/fresh_seed.hpp"
#include "support/random_text.hpp"
#include "window_problem.hpp"

using namespace hogwild;

namespace {

template <class Index>
struct host_window_rows : test::fresh_seed<> {
  double error(std::span<const std::size_t> lengths, const test::window_training& training) {
    return test::error_of_host_form(test::window_problem<Index>(random, lengths, training), lengths.size(),
                                    [](const auto&, const auto& work) { device::train_window_rows(work, 0, 1); });
  }
};
using window_index_types = testing::Types<std::uint32_t, std::uint16_t>;
TYPED_TEST_SUITE(host_window_rows, window_index_types);

constexpr test::window_training window_trainings[] = {{},
                                                      {.width = 32, .window = 1, .negative = 1},
                                                      {.width = 48, .window = 5, .negative = 40},
                                                      {.width = 112, .sample = 0}};

// Vectors are about 1/2 long and change by a hundredth of that at most for each pair; the changes of a window are
// summed before they are added.
TYPED_TEST(host_window_rows, one_sentence_is_that_of_double_precision) {
  for (const test::window_training& training : window_trainings) {
    for (const std::size_t length : std::initializer_list<std::size_t>{0, 1, 2, 5, 33})
      EXPECT_LE(this->error(std::array{length}, training), 1e-6) << length << " words, width " << training.width;
  }
}

TYPED_TEST(host_window_rows, an_epoch_is_that_of_double_precision) {
  for (const test::window_training& training : window_trainings)
    EXPECT_LE(this->error(test::row_lengths(this->random, 30), training), 1e-5) << training.width;
}

using words_sharing = direct_sharing<float, update::lossy>;

using host_window_and_cpu_steps = test::fresh_seed<>;

TEST_F(host_window_and_cpu_steps, agree) {
  const corpus words = test::random_sentences(random, 60, 50);
  skip_gram m;
  m.words = words.words.size(), m.dimension = 21, m.sample = 0.01;
  const sparse_view view = words.rows.view();
  loop_options options;
  options.optimizer = optimizer_kind::sgd;
  options.batch = 1;
  options.seed = seed;
  options.rows_in_flight = 2;
  const auto task = make_task(m, view, label_map(), options);
  ASSERT_TRUE(device::window_kernels().trains(*task));
  const round_plan round{.pass = 3, .step = 0.05, .step_end = 0.02};

  param_store store = param_store::in_memory({.parameters = m.dim()});
  std::uniform_real_distribution<float> some(-0.3f, 0.3f);
  for (std::size_t j = 0; j < m.dim(); ++j)
    if (j % m.width() < m.dimension) store.parameters<float>()[j] = some(random);
  const auto emulated = device::open_emulated(1);
  device::device_arrays arrays(*emulated, m.dim(), 0);
  std::ranges::copy(store.parameters<float>(), arrays.values[0].data());
  *arrays.updates.data() = 0;
  const auto on_device = device::window_kernels().bring(*emulated, *task, arrays, options);
  const step_context context{task->labels(), view.degree, view.rows(), options, view.rows()};
  workspace_step<skip_gram, words_sharing, sgd<words_sharing::view_type>> step(words_sharing(store, 0), m, context,
                                                                               view, {});
  const std::size_t half = view.rows() / 2;
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, half}, {half, view.rows()}}) {
    on_device->begin(round, static_cast<double>(first));
    on_device->train(first, last - first).on_host(0, 1);
    step.begin(round, static_cast<double>(first));
    for (std::size_t r = first; r < last; ++r) step.train_batch(std::array{r});
  }
  const auto trained = store.parameters<float>();
  const std::vector<double> expected(trained.begin(), trained.end());
  EXPECT_LE(test::relative_error({arrays.values[0].data(), m.dim()}, expected), 1e-5);
  EXPECT_EQ(*arrays.updates.data(), view.rows());
  EXPECT_EQ(on_device->nonzeros(0, view.rows()), view.nonzeros());
}

}  // namespace
