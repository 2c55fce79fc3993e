// SPDX-License-Identifier: Apache-2.0
// Quality on real data: lossy threads and processes end where serial training ends, and where theory says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/program_role.hpp"

namespace hogwild {
namespace {

/// The least mean logistic loss + l2/2 ||w||^2 at l2 = 1e-4, without bias: computed by L-BFGS in double precision.
struct convex_set {
  const char* name;
  double optimum;
};
void PrintTo(const convex_set& set, std::ostream* out) {
  *out << set.name;
}

class convex_sets : public ::testing::TestWithParam<convex_set> {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("HOGWILD_DATA_DIR");
    if (folder == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
    const auto source = std::filesystem::path(folder) / (std::string(GetParam().name) + ".libsvm.xz");
    if (!std::filesystem::exists(source)) GTEST_SKIP() << source << " is not there";
    data_ = open_libsvm(source.string(), {.cache = open_options::cache_use::none});
  }

  template <class Model, class Engine>
  train_result run(const Model& model, const Engine& engine, std::size_t epochs, sharing_kind sharing) const {
    return train(model, *data_, engine, {.epochs = epochs, .l2 = 1e-4, .sharing = sharing});
  }

  static void expect_in_band(const train_result& run, double reference, double band, const std::string& what) {
    EXPECT_NEAR(run.objective, reference, band * reference) << what;
    EXPECT_EQ(run.status, run_status::done) << what;
  }

  /// Direct: over 10 to 20 runs of each kind the objectives' standard deviation was at most 0.06 % of the serial
  /// objective and their mean at most 0.54 % above it (kddcup99 with four workers, the worst on both counts, with the
  /// machine to themselves). The band of 1 % is seven standard deviations beyond that mean: for a normal law a failure
  /// rate below 1e-11 a run, and below 1e-9 for all of them. Those runs had 40 epochs of the logistic loss. With 20
  /// epochs, over eight runs of each kind on a busy machine (sixteen of the worst kind), the means were at most 0.05 %
  /// above and the deviations at most 0.09 %, so that the band is ten deviations away; with 40 epochs they were 0.08 %
  /// and 0.06 % there. Replicas: alone on the machine they ended at most 0.4 % above serial; during a second test, when
  /// one worker is often away for a time slice, at most 1.4 % (another set of texts, hinge). The band of 5 % is for
  /// finding divergence and lost work, which cost far more; the benchmark measures the quality of replicas on a quiet
  /// machine.
  template <class Model>
  void expect_every_engine_in_band(const Model& model, std::size_t epochs, std::optional<double> optimum) const {
    for (const auto& [sharing, band] :
         {std::pair(sharing_kind::direct, 0.01), std::pair(sharing_kind::automatic, 0.05)}) {
      const train_result serial = run(model, serial_engine{}, epochs, sharing);
      if (optimum) expect_in_band(serial, *optimum, 0.01, "serial against the optimum");
      for (const std::size_t workers : {2u, 4u}) {
        const std::string many = std::to_string(workers);
        const train_result threads = run(model, thread_engine{.workers = workers}, epochs, sharing);
        expect_in_band(threads, serial.objective, band, many + " threads against serial");
        // The bands say how far above it they may be; below it they were measured wrongly.
        const double least = optimum ? 0.9999 * *optimum : 0.0;
        EXPECT_GT(threads.objective, least) << many << " threads";
        if (workers > 2) continue;  // two processes show what differs from threads
        const train_result processes = run(model, process_engine{.workers = workers}, epochs, sharing);
        expect_in_band(processes, serial.objective, band, many + " processes against serial");
        EXPECT_GT(processes.objective, least) << many << " processes";
      }
    }
  }

  std::optional<sparse_dataset> data_;
};

TEST_P(convex_sets, logistic_reaches_the_optimum_by_defaults_with_every_engine) {
  expect_every_engine_in_band(logistic{}, 20, GetParam().optimum);
}

TEST_P(convex_sets, hinge_ends_where_serial_ends_with_every_engine) {
  expect_every_engine_in_band(hinge_svm{}, 10, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(sets, convex_sets,
                         ::testing::Values(convex_set{"a9a", 0.3245069}, convex_set{"imdb.train", 0.4081515},
                                           convex_set{"kddcup99.train", 0.0277636}),
                         [](const auto& set) {
                           const std::string name = set.param.name;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role convex_sets_role([](int argc, char** argv) -> std::optional<int> {
  return hogwild::worker_main<hogwild::logistic, hogwild::hinge_svm>(argc, argv);
});
