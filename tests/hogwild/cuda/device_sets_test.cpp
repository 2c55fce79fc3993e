// SPDX-License-Identifier: Apache-2.0
// Real data on a device, by the emulated one: text and connections of two classes, postings of 20.
#include <hogwild/cuda/engine.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "support/serial_band.hpp"

using namespace hogwild;

namespace {

struct sets_on_a_device : testing::Test {
  template <class M>
  void expect_end_of_serial_run(const M& model, const sparse_dataset& data, const train_options& options) {
    const double serial = train(model, data, serial_engine{}, options).objective;
    const train_result r = train(model, data, cuda_engine{.device = emulated_device}, options);
    const std::string optimizer = options.optimizer == optimizer_kind::sgd ? "sgd" : "adagrad";
    RecordProperty("above_serial_by_" + optimizer, std::to_string(r.objective / serial - 1.0));
    RecordProperty("rows_in_flight_by_" + optimizer, std::to_string(r.devices[0].rows_in_flight));
    EXPECT_LE(r.objective, test::serial_band(1) * serial) << optimizer;
  }

  /// Skips where the set is not there.
  static void with(const std::string& set, const auto& f) {
    const char* const named = std::getenv("HOGWILD_DATA_DIR");
    const std::filesystem::path path = std::filesystem::path(named != nullptr ? named : "") / (set + ".libsvm.xz");
    if (named == nullptr || !std::filesystem::exists(path))
      GTEST_SKIP() << "there is no " << path.filename() << " in the folder that HOGWILD_DATA_DIR names";
    f(open_libsvm(path.string(), {.cache = open_options::cache_use::none}));
  }
};

// None of thirty runs ended more than 0.06 % from the serial objective.
TEST_F(sets_on_a_device, of_two_classes_end_where_a_serial_run_does) {
  train_options options{.epochs = 8, .step = {.initial = 0.2, .decay = 0.6}};
  with("kddcup99.train", [&](const sparse_dataset& data) { expect_end_of_serial_run(logistic{}, data, options); });
  with("imdb.train", [&](const sparse_dataset& data) {
    expect_end_of_serial_run(logistic{}, data, options);
    options.optimizer = optimizer_kind::adagrad;
    expect_end_of_serial_run(logistic{}, data, options);
  });
}

// The first steps of adagrad are long here, and the order of rows decides how long: serial runs of 24 seeds spread by
// 0.35 % (standard deviation), those on the device by 0.49 % around a mean 0.12 % higher, with a standard error of
// 0.13 %. So the test compares means of four seeds each: their quotient spreads by 0.3 %, and the band ends six times
// that from the expected value, beyond which is one run in a billion.
TEST_F(sets_on_a_device, of_connections_end_where_serial_runs_do_by_adagrad) {
  train_options options{.epochs = 8, .step = {.initial = 0.2, .decay = 0.6}, .optimizer = optimizer_kind::adagrad};
  with("kddcup99.train", [&](const sparse_dataset& data) {
    double serial = 0.0, on_device = 0.0;
    for (options.seed = 1; options.seed <= 4; ++options.seed) {
      serial += train(logistic{}, data, serial_engine{}, options).objective;
      on_device += train(logistic{}, data, cuda_engine{.device = emulated_device}, options).objective;
    }
    RecordProperty("above_serial", std::to_string(on_device / serial - 1.0));
    EXPECT_LE(on_device, test::serial_band(1) * serial);
  });
}

TEST_F(sets_on_a_device, of_many_classes_end_where_a_serial_run_does) {
  with("news20mc.train", [&](const sparse_dataset& data) {
    const softmax model{.features = data.features(), .classes = 20};
    for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad})
      expect_end_of_serial_run(model, data,
                               {.epochs = 5, .step = {.initial = 0.2, .decay = 0.8}, .optimizer = optimizer});
  });
}

}  // namespace
