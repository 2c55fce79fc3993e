// SPDX-License-Identifier: Apache-2.0
// Models of a program on a device: the serial engine's objective, and refusals.
#include <hogwild/cuda/engine.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/models/least_squares.hpp>

#include "named_models.hpp"
#include "near_serial.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

/// Adds up in a loop over the row, which gives each lane entries of its own.
struct looping_squares {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "looping_squares";
  std::size_t features = 0;
  std::size_t dim() const { return features; }
  double loss(const auto& w, const auto& z) const { return 0.5 * (hogwild::dot(w, z) - z.label); }
  HOGWILD_DEVICE_CODE void gradient(const auto& w, const auto& z, const auto& emit) const {
    float g = -z.label;
    for (auto [j, x] : z) g += w[j] * x;
    for (auto [j, x] : z) emit(j, g * x);
  }
};
inline const device_kernels<looping_squares> looping_kernels;

/// A model that only CPU workers can train: it has no device kernels.
struct nameless : test::device_huber {
  static constexpr std::string_view name = "nameless";
};
struct nameless_margin : test::device_cubic_hinge {
  static constexpr std::string_view name = "nameless_margin";
};

const test::toy_rows named_data =
    test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 19});

template <model M>
void expect_near_serial(const M& m, const train_options& options) {
  const train_result r = test::expect_near_serial(m, named_data.csr(), cuda_engine{.device = emulated_device}, options);
  EXPECT_EQ(r.workers, 1u);
  EXPECT_GT(r.updates, 20'000u);
  ASSERT_EQ(r.devices.size(), 1u);
  EXPECT_GE(r.devices[0].rows_in_flight, 1u);
}

TEST(a_named_model, ends_where_a_serial_run_does) {
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options{.epochs = 10, .step = {.initial = 0.3, .decay = 0.8}, .l2 = 1e-4, .optimizer = optimizer};
    options.update = optimizer == optimizer_kind::sgd ? update_kind::lossy : update_kind::exact;
    expect_near_serial(test::device_huber{.features = 200}, options);
    expect_near_serial(test::device_logistic{.features = 200}, options);
    expect_near_serial(test::device_cubic_hinge{}, options);
  }
}

// 1 / (step * curvature), with the smoothness of squares.
TEST(a_named_model, trains_half_as_many_rows_at_once_as_a_margin_model) {
  const auto rows_at_once = [](const auto& m, optimizer_kind optimizer) {
    const train_result r = train(m, named_data.csr(), cuda_engine{.device = emulated_device},
                                 {.epochs = 1, .step = {.initial = 0.001}, .optimizer = optimizer});
    return static_cast<double>(r.devices[0].rows_in_flight);
  };
  const double own = rows_at_once(test::device_huber{.features = 200}, optimizer_kind::sgd);
  EXPECT_GT(own, 100.0);
  EXPECT_NEAR(rows_at_once(least_squares{}, optimizer_kind::sgd), 2.0 * own, 2.0);
  EXPECT_NEAR(rows_at_once(test::device_huber{.features = 200}, optimizer_kind::adagrad), 4.0 * own, 4.0);
  const double four_times_as_steep =
      rows_at_once(test::device_logistic{.features = 200, .bias_factor = 4.0}, optimizer_kind::sgd);
  EXPECT_NEAR(4.0 * four_times_as_steep, own, 4.0);
}

template <model M>
std::string said_of(const M& m, int device) {
  return test::refusal_to_train<error>(m, named_data.csr(), cuda_engine{.device = device},
                                       {.epochs = 1, .step = {.initial = 0.1}});
}

TEST(a_named_model, is_refused_where_lanes_would_train_it_otherwise) {
  EXPECT_THAT(said_of(looping_squares{.features = 200}, emulated_device),
              HasSubstr("add up by hogwild::dot or hogwild::sum"));
}

TEST(a_named_model, has_to_be_named_and_compiled_for_the_device) {
  EXPECT_THAT(said_of(nameless{{.features = 200}}, emulated_device), HasSubstr("nameless is none"));
  EXPECT_THAT(said_of(test::device_huber{.features = 200}, 0), HasSubstr("name them in a .cu file"));
}

// A build without CUDA says that first.
TEST(a_margin_model_of_a_program, has_to_be_compiled_for_the_device) {
  expect_near_serial(nameless_margin{}, {.epochs = 10, .step = {.initial = 0.3, .decay = 0.8}});
  EXPECT_THAT(said_of(nameless_margin{}, 0), HasSubstr("take --device emulated"));
  EXPECT_THAT(said_of(test::device_cubic_hinge{}, 0), HasSubstr("take --device emulated"));
}

}  // namespace
