// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <hogwild/train.hpp>

#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/serial_band.hpp"

// Laws of runs on devices: they are compared with the serial engine's.

namespace hogwild::test {

/// Trains by this engine and by the serial one, and expects an objective in the band of as many workers.
template <class M, class Rows, class Engine>
train_result expect_near_serial(const M& m, const Rows& rows, const Engine& engine, const train_options& options) {
  const double serial = train(m, rows, serial_engine{}, options).objective;
  const train_result r = train(m, rows, engine, options);
  EXPECT_EQ(r.status, run_status::done);
  EXPECT_EQ(r.rows_lost, 0u);
  EXPECT_LE(r.objective, serial_band(r.workers) * serial) << m.name << " by " << r.workers << " workers";
  testing::Test::RecordProperty("above_serial_" + std::string(m.name), std::to_string(r.objective / serial - 1.0));
  return r;
}

/// The same of held-back ratings and their root mean squared error, which is no less than 0.98 of the serial run's.
template <class M, class Engine>
train_result expect_ratings_near_serial(const M& m, const sparse_view& rows, std::size_t training, const Engine& engine,
                                        train_options options) {
  options.test = rows.slice(training, rows.rows());
  const sparse_view data = rows.slice(0, training);
  const double serial = *train(m, data, serial_engine{}, options).test->rmse;
  EXPECT_LT(serial, 0.3);  // the noise is 0.06; without factors the ratings are 0.5 apart
  const train_result r = train(m, data, engine, options);
  EXPECT_EQ(r.status, run_status::done);
  EXPECT_GE(*r.test->rmse, 0.98 * serial);
  EXPECT_LE(*r.test->rmse, serial_band(r.workers) * serial);
  testing::Test::RecordProperty("above_serial", std::to_string(*r.test->rmse / serial - 1.0));
  return r;
}

/// A run of three epochs goes on from its checkpoint to the tenth, and ends near a serial run.
template <class M, class Rows, class Engine>
void expect_to_go_on_near_serial(const M& m, const Rows& rows, const Engine& engine) {
  const scratch_folder folder;
  train_options options{.epochs = 3, .step = {.initial = 0.2, .decay = 0.8}, .l2 = 1e-4};
  options.checkpoint = folder / "checkpoint";
  const train_result before = train(m, rows, engine, options);
  options.resume = options.checkpoint;
  EXPECT_EQ(train(m, rows, engine, options).parameters, before.parameters);
  options.epochs = 10;
  const train_result resumed = train(m, rows, engine, options);
  options.resume.clear();
  const double serial = train(m, rows, serial_engine{}, options).objective;
  EXPECT_EQ(resumed.epochs, 10u);
  EXPECT_LE(resumed.objective, serial_band(resumed.workers) * serial);
}

/// The lines of the record of a run.
template <class M, class Rows, class Engine>
std::vector<nlohmann::json> record_of(const M& m, const Rows& rows, const Engine& engine, std::size_t epochs = 1) {
  const scratch_folder folder;
  train(m, rows, engine, {.epochs = epochs, .step = {.initial = 0.1}, .record = folder / "record"});
  std::vector<nlohmann::json> lines;
  std::ifstream record(folder / "record");
  for (std::string line; std::getline(record, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// The message with which train() refuses the run.
template <class Error = config_error, class M, class Rows, class Engine>
std::string refusal_to_train(const M& m, const Rows& rows, const Engine& engine, const train_options& options = {}) {
  return refusal_of<Error>([&] { train(m, rows, engine, options); });
}

}  // namespace hogwild::test
