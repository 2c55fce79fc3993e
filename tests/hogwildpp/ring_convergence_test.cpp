// SPDX-License-Identifier: Apache-2.0
// Quality on real data: replicas on a ring end where one worker ends.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/names.hpp>
#include <hogwildpp/ring_engine.hpp>

namespace hogwild {
namespace {

/// A set, a first step with which one worker comes near the optimum in twelve epochs, and that optimum: the least mean
/// logistic loss + l2/2 ||w||^2 at l2 = 1e-4, without bias, computed by L-BFGS in double precision.
struct convex_set {
  const char* name;
  double step, optimum;
};

/// Read once, and trained once by one worker.
struct reference {
  explicit reference(const convex_set& set, const std::filesystem::path& file)
      : data(open_libsvm(file.string(), {.cache = open_options::cache_use::none})),
        options{.epochs = 12, .step = {.initial = set.step, .decay = 0.8}, .l2 = 1e-4},
        serial(train(logistic{}, data, serial_engine{}, options)) {}
  sparse_dataset data;
  train_options options;
  train_result serial;
};

class ring : public ::testing::TestWithParam<std::tuple<convex_set, ring_rule, std::size_t>> {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("HOGWILD_DATA_DIR");
    if (folder == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
    const auto source = std::filesystem::path(folder) / (std::string(set_.name) + ".train.libsvm.xz");
    if (!std::filesystem::exists(source)) GTEST_SKIP() << source << " is not there";
    static std::map<std::string, reference> known;
    one_worker_ = &known.try_emplace(set_.name, set_, source).first->second;
  }

  const convex_set set_ = std::get<0>(GetParam());
  const ring_rule rule_ = std::get<1>(GetParam());
  const std::size_t replicas_ = std::get<2>(GetParam());
  const reference* one_worker_ = nullptr;
};

/// The released rule pulls a replica towards the next one and gives it nothing in return, so that replicas which do not
/// take strict turns, as on fewer CPUs than workers, lose some of what they gained: 1.1 to 2.7 % on kddcup99, under
/// 0.8 % on imdb.
double band_of(ring_rule rule) {
  return rule == ring_rule::released ? 0.06 : 0.01;
}

// Over 16 runs of each kind on two busy cores the objective was at most 0.32 % above that of one worker (deltas of 8 on
// imdb: 0.10 % on average with a standard deviation of 0.11 %, the most of all; average: at most 0.08 %). The band ends
// eight deviations beyond that mean: for a normal law a failure rate below 1e-14.
TEST_P(ring, of_one_worker_each_ends_within_the_band_of_one_worker) {
  train_options options = one_worker_->options;
  if (rule_ != ring_rule::deltas) {
    // Averages keep the mean of the gains: they train `replicas_` times as many epochs, down to the same step.
    options.epochs *= replicas_;
    options.step.decay = std::pow(*options.step.decay, 1.0 / static_cast<double>(replicas_));
  }
  const double serial = one_worker_->serial.objective;
  ASSERT_LT(serial, 1.01 * set_.optimum);
  const train_result run = train(
      logistic{}, one_worker_->data,
      ring_engine{
          .workers = replicas_, .replicas = replicas_, .rule = rule_, .team = thread_team_kind::std, .pin = false},
      options);
  RecordProperty("above_serial", std::to_string(run.objective / serial - 1.0));
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_EQ(run.workers, replicas_);
  ASSERT_TRUE(run.ring);
  if (rule_ == ring_rule::deltas) {
    EXPECT_GT(run.ring->exchanges, 0u);
  }
  EXPECT_LE(run.objective, (1.0 + band_of(rule_)) * serial);
  EXPECT_GE(run.objective, (1.0 - 1e-5) * set_.optimum);
}

const auto sets = ::testing::Values(convex_set{"imdb", 0.5, 0.4081515}, convex_set{"kddcup99", 0.02, 0.0277636});
std::string name_of_run(const ::testing::TestParamInfo<ring::ParamType>& about) {
  return std::get<0>(about.param).name + ("_" + std::string(name_of(std::get<1>(about.param)))) + "_of_" +
         std::to_string(std::get<2>(about.param));
}
INSTANTIATE_TEST_SUITE_P(sets, ring,
                         ::testing::Combine(sets, ::testing::Values(ring_rule::deltas), ::testing::Values(2u, 8u)),
                         name_of_run);
// With eight replicas they would train for 96 epochs. Over six runs of each kind of four replicas averages ended below
// one worker, with a standard deviation of 0.011 %; the released rule 0.07 % above it on average, with one of 0.08 %,
// on kddcup99. Their bands are more than seventy deviations away: for a normal law a failure rate below 1e-14.
INSTANTIATE_TEST_SUITE_P(sets_by_means, ring,
                         ::testing::Combine(sets, ::testing::Values(ring_rule::average, ring_rule::released),
                                            ::testing::Values(2u, 4u)),
                         name_of_run);

}  // namespace
}  // namespace hogwild
