// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

#include "support/changed_options.hpp"

namespace hogwild::test {

/// The visible effects of a run's options.
struct seen_of_run {
  std::vector<float> parameters;
  std::size_t epochs = 0;
  run_status status = run_status::done;
  std::vector<double> told;
  bool operator==(const seen_of_run&) const = default;
};

/// `run` trains by these options, and returns the result.
template <class Run>
seen_of_run see(const Run& run, train_options options) {
  seen_of_run seen;
  options.observers.push_back([&](const epoch_report& e) {
    for (const double x :
         {e.train_loss, e.objective, e.step, e.test ? e.test->loss : -1.0, e.validation ? e.validation->loss : -1.0})
      seen.told.push_back(x);
  });
  options.observers.push_back([&](const round_report& r) { seen.told.push_back(static_cast<double>(r.round)); });
  const train_result result = run(options);
  seen.parameters = result.parameters;
  seen.epochs = result.epochs;
  seen.status = result.status;
  return seen;
}

/// Gives one option after the other another value: each changes what is seen of the run, or is refused, or has no
/// effect `by_nature`. A run repeats by itself, on `rows` of two labels.
template <class Run>
void expect_no_option_is_lost(const Run& run, const train_options& usual, const sparse_view& rows,
                              const std::set<std::string_view>& by_nature) {
  const seen_of_run before = see(run, usual);
  EXPECT_TRUE(before == see(run, usual));
  for (auto& [name, ranks, resume, other, changed] : changed_options(usual)) {
    if (!changed || name == "record" || name == "checkpoint" || name == "resume") continue;  // files
    if (name == "test") other.test = rows.slice(0, 90);
    if (name == "validation") other.validation = rows.slice(0, 90);
    if (name == "weights.of_labels") other.weights.of_labels = {{1.0, 9.0}};
    if (name == "labels") other.labels = {-1.0, 2.0};
    if (name == "validation_fraction") other.validation_fraction = 0.25;
    if (name == "tolerance") other.tolerance = 0.999;
    if (name == "average") other.average = 0.75;
    if (name == "batch") other.batch = 2;
    if (name == "measure_every") other.measure_every = 2;
    if (name == "optimizer") other.optimizer = optimizer_kind::ftrl;
    if (name == "target") other.target = {"train_loss", 0.69};
    if (name == "step.decay") other.step.decay = 0.5;
    if (name == "step.kind") other.step.kind = schedule_kind::cosine;
    try {
      const seen_of_run seen = see(run, other);
      EXPECT_TRUE(seen != before || by_nature.contains(name)) << name << " is taken and changes nothing";
    } catch (const config_error& refused) {
      EXPECT_GT(std::string_view(refused.what()).size(), 20u) << name;
    } catch (const input_error& refused) {
      EXPECT_EQ(name, "labels") << refused.what();
    }
  }
}

}  // namespace hogwild::test
