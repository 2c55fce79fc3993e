// SPDX-License-Identifier: Apache-2.0
// A device measures the same loss of training rows as the CPU; runs report which of the two measured.
#include <hogwild/cuda/engine.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/row_weights.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "device_losses.hpp"
#include "given_devices.hpp"
#include "near_serial.hpp"
#include "support/heard_run.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"
#include "topics.hpp"

using namespace hogwild;

namespace {

const test::toy_rows measured_classes =
    test::planted_classification({.rows = 2000, .columns = 200, .per_row = 10, .seed = 30});

/// The CPU's measurement of these parameters.
template <class M>
double loss_by_cpu(const M& m, label_kind kind, sparse_view view, const train_options& options,
                   const std::vector<float>& parameters) {
  loop_options o;
  o.bias = options.bias;
  const label_map labels = label_map::learn(kind, view.label, "rows");
  const std::vector<double> of_labels = weights_of_labels(options, labels, view, agreement(nullptr));
  const std::vector<float> weights = row_weights(view, of_labels, labels, "rows", nullptr);
  view.weight = weights;
  const auto task = make_task(m, view, labels, o);
  const param_store store = param_store::in_memory({.parameters = parameters.size()});
  std::ranges::copy(parameters, store.parameters<float>().begin());
  const auto team = thread_team::make(thread_team_kind::std, 1, false);
  return task->evaluate(store, 1.0, view, *team, false).loss;
}

/// Each epoch of a run, alone and beside a worker on the CPU.
template <class M>
void expect_measured(const M& m, label_kind labels, const test::toy_rows& toy, train_options options) {
  const csr_rows rows = toy.csr();
  for (const std::size_t workers : {0u, 1u}) {
    for (const std::size_t epochs : {1u, 3u}) {
      test::heard_run told;
      options.epochs = epochs;
      options.observers = {&told};
      const train_result r = train(m, rows, cuda_engine{.workers = workers, .device = emulated_device}, options);
      ASSERT_EQ(r.devices.size(), 1u);
      EXPECT_GE(r.devices[0].measured_rows, epochs * toy.rows());
      const double expected = loss_by_cpu(m, labels, rows.view(), options, r.parameters);
      EXPECT_NEAR(r.train_loss, expected, 1e-6 * expected) << workers << " CPU workers, " << epochs << " epochs";
      ASSERT_EQ(told.epochs.size(), epochs);
      EXPECT_EQ(told.epochs.back().train_loss, r.train_loss);
    }
  }
}

TEST(a_measuring_device, says_of_margin_models_what_the_cpu_says) {
  const train_options weighted{.step = {.initial = 0.5}, .l2 = 1e-3, .weight_positive = 3};
  expect_measured(logistic{}, label_kind::binary, measured_classes, weighted);
  expect_measured(huber{}, label_kind::real, measured_classes, {.step = {.initial = 0.1}});
}

TEST(a_measuring_device, says_of_softmax_what_the_cpu_says) {
  const test::toy_rows rows = test::planted_classes({.rows = 2000, .columns = 200, .per_row = 10, .seed = 20}, 5);
  expect_measured(softmax{.features = 200, .classes = 5}, label_kind::classes, rows, {.step = {.initial = 0.5}});
}

TEST(a_measuring_device, says_of_factorization_machines_what_the_cpu_says) {
  factorization_machine model{.features = 200, .factors = 5};
  expect_measured(model, label_kind::binary, measured_classes, {.step = {.initial = 0.05}});
  model.labels = label_kind::real;
  expect_measured(model, label_kind::real, measured_classes, {.step = {.initial = 0.01}});
}

TEST(a_measuring_device, says_of_ratings_what_the_cpu_says) {
  const test::toy_rows ratings = test::planted_ratings();
  expect_measured(test::factors_of({}), label_kind::real, ratings, {.step = {.initial = 0.1}});
}

// The loss of the first 200 sentences; the same words are left out and drawn each time.
TEST(a_measuring_device, says_of_skip_gram_what_the_cpu_says) {
  const test::topics topics{};
  skip_gram model = topics.model;
  model.sample = 0.001;  // of 200 words as frequent half are left out
  for (const std::size_t workers : {0u, 1u}) {
    const train_options options{.epochs = 3, .step = {.initial = 0.1}};
    const cuda_engine engine{.workers = workers, .device = emulated_device};
    const train_result r = train(model, topics.text.rows, engine, options);
    EXPECT_GE(r.devices.at(0).measured_rows, 3 * skip_gram::measured_rows);
    const sparse_view first = topics.text.rows.view().slice(0, skip_gram::measured_rows);
    const double expected = loss_by_cpu(model, label_kind::real, first, options, r.parameters);
    EXPECT_NEAR(r.train_loss, expected, 1e-6 * expected) << workers << " CPU workers";
  }
  // Rows that are not a corpus have no counts of words.
  const train_result r = train(model, measured_classes.csr(), cuda_engine{.device = emulated_device},
                               {.epochs = 1, .step = {.initial = 1e-3}});
  EXPECT_EQ(r.devices.at(0).measured_rows, 0u);
}

TEST(a_measuring_device, leaves_to_the_cpu_what_it_does_not_have) {
  train_options options{.epochs = 1, .step = {.initial = 0.5}};
  const auto measured_by = [&](const auto& model, const auto& engine) {
    return train(model, measured_classes.csr(), engine, options).devices.at(0).measured_rows;
  };
  const cuda_engine emulated{.device = emulated_device};
  EXPECT_EQ(measured_by(logistic{}, emulated), measured_classes.rows());
  EXPECT_EQ(measured_by(logistic{}, cuda_engine{.device = emulated_device, .memory = memory_kind::managed}),
            measured_classes.rows());
  EXPECT_EQ(measured_by(logistic{}, cuda_engine{.device = emulated_device, .memory = memory_kind::pinned}), 0u);
  EXPECT_EQ(measured_by(logistic{}, test::small_device{.memory_bytes = 20'000}), 0u) << "rows are streamed";
  options.bias = true;
  EXPECT_EQ(measured_by(logistic{}, emulated), 0u) << "a constant term is found by the margins of all rows";
}

TEST(a_measuring_device, tells_that_a_run_has_diverged) {
  const auto status_of = [](const auto& model, const test::toy_rows& rows, const cuda_engine& engine) {
    return train(model, rows.csr(), engine, {.epochs = 3, .step = {.initial = 1e38}, .l2 = 0.0}).status;
  };
  const cuda_engine one{.device = emulated_device}, two{.device = {emulated_device, emulated_device}},
      halves{.device = emulated_device, .storage = storage_kind::half};
  for (const cuda_engine& engine : {one, two}) {
    EXPECT_EQ(status_of(least_squares{}, measured_classes, engine), run_status::diverged);
    EXPECT_EQ(status_of(factorization_machine{.features = 200, .factors = 5}, measured_classes, engine),
              run_status::diverged);
  }
  const test::toy_rows classes = test::planted_classes({.rows = 2000, .columns = 200, .per_row = 10, .seed = 20}, 5);
  EXPECT_EQ(status_of(softmax{.features = 200, .classes = 5}, classes, one), run_status::diverged);
  const test::toy_rows ratings = test::planted_ratings();
  EXPECT_EQ(status_of(test::factors_of({}), ratings, one), run_status::diverged);
  EXPECT_EQ(status_of(test::factors_of({}), ratings, halves), run_status::diverged);
}

TEST(a_measuring_device, is_named_in_the_record) {
  const cuda_engine engine{.device = emulated_device};
  const auto last = test::record_of(logistic{}, measured_classes.csr(), engine, 2).back();
  EXPECT_EQ(last["devices"][0]["measured_rows"], 2 * measured_classes.rows());
}

/// Squares whose loss cannot be had once an epoch is over.
struct unmeasurable : least_squares {
  static constexpr std::string_view name = "unmeasurable";
  static inline std::atomic<bool> is_due{};
  double loss(float margin, float label) const {
    if (is_due) throw resource_error("the device failed to measure: it was planned");
    return least_squares::loss(margin, label);
  }
};
TEST(a_measuring_device, that_fails_ends_the_run_which_names_its_checkpoint) {
  const test::scratch_folder folder;
  for (const bool kept : {false, true}) {
    unmeasurable::is_due = false;
    train_options options{.epochs = 5, .step = {.initial = 0.01}, .observers = {[](const epoch_report&) {
                                                                    unmeasurable::is_due = true;
                                                                  }}};
    if (kept) options.checkpoint = folder / "checkpoint";
    const std::string named = "; the run's last checkpoint is '" + options.checkpoint + "', of epoch 1: resume from it";
    EXPECT_EQ(test::refusal_of<resource_error>([&] {
                train(unmeasurable{}, measured_classes.csr(), cuda_engine{.device = emulated_device}, options);
              }),
              "the device failed to measure: it was planned" + (kept ? named : ""));
  }
}

/// Rows whose loss is 1, 2, 3, ... by launches that take a while each.
struct counting_model final : device::device_model {
  void begin(const round_plan&, double) override {}
  std::size_t room_for(std::size_t, std::size_t count) const override { return count; }
  device::kernel_launch train(std::size_t, std::size_t) override { return {}; }
  std::uint64_t nonzeros(std::size_t, std::size_t) const override { return 0; }
  bool measures() const override { return true; }
  device::kernel_launch measure(const device::rows_to_measure& rows) override {
    longest = std::max(longest, rows.count);
    if (rows.first >= stop_at) stop.request_stop();
    return {.on_host = [rows, this](std::size_t, std::size_t) {
      std::this_thread::sleep_for(of_a_row * rows.count);
      for (std::size_t i = 0; i * 32 < rows.count; ++i) {
        rows.sums[i] = 0.0;
        for (std::size_t k = 32 * i; k < std::min(32 * i + 32, rows.count); ++k)
          rows.sums[i] += rows.scale * static_cast<double>(rows.first + k + 1);
      }
    }};
  }
  std::chrono::microseconds of_a_row{0};
  std::size_t longest = 0, stop_at = std::numeric_limits<std::size_t>::max();
  std::stop_source stop;
};

TEST(a_measuring_device, adds_up_every_row_once) {
  const auto emulated = device::open_emulated(1);
  for (const std::size_t rows : {1u, 31u, 32u, 33u, 5000u}) {
    counting_model model;
    EXPECT_EQ(device::mean_loss(*emulated, model, rows, 2.0, {}), static_cast<double>(rows + 1));
  }
}

// No launch of these rows is longer than 40 ms, twice the intended 20 ms.
TEST(a_measuring_device, stops_between_two_short_launches) {
  const auto emulated = device::open_emulated(1);
  counting_model model;
  model.of_a_row = std::chrono::microseconds(100);
  model.stop_at = 1'000;
  const std::optional<double> loss = device::mean_loss(*emulated, model, 100'000, 1.0, model.stop.get_token());
  ASSERT_TRUE(loss);
  EXPECT_TRUE(std::isnan(*loss));
  EXPECT_LE(model.longest, 400u);
}

}  // namespace
