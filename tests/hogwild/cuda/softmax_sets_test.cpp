// SPDX-License-Identifier: Apache-2.0
// Softmax on a device, by the emulated one, on postings of 20 classes.
#include <hogwild/cuda/engine.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "support/serial_band.hpp"

using namespace hogwild;

namespace {

TEST(softmax_on_a_device, ends_where_a_serial_run_does) {
  const char* const named = std::getenv("HOGWILD_DATA_DIR");
  const std::filesystem::path folder = named != nullptr ? named : "";
  if (named == nullptr || !std::filesystem::exists(folder / "news20mc.train.libsvm.xz"))
    GTEST_SKIP() << "there is no news20mc.train.libsvm.xz in the folder that HOGWILD_DATA_DIR names";
  const auto data =
      open_libsvm((folder / "news20mc.train.libsvm.xz").string(), {.cache = open_options::cache_use::none});
  const softmax model{.features = data.features(), .classes = 20};
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const train_options options{.epochs = 5, .step = {.initial = 0.2, .decay = 0.8}, .optimizer = optimizer};
    const double serial = train(model, data, serial_engine{}, options).objective;
    const train_result r = train(model, data, cuda_engine{.device = emulated_device}, options);
    RecordProperty("above_serial", std::to_string(r.objective / serial - 1.0));
    RecordProperty("rows_in_flight", std::to_string(r.devices[0].rows_in_flight));
    EXPECT_LE(r.objective, test::serial_band(1) * serial);
  }
}

}  // namespace
