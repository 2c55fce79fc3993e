// SPDX-License-Identifier: Apache-2.0
// Quality on real data: reproducible runs end where serial training ends, and have the same bits everywhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/program_role.hpp"

namespace hogwild {
namespace {

class reproducible_sets : public ::testing::TestWithParam<const char*> {
 protected:
  static sparse_dataset data() {
    const auto source =
        std::filesystem::path(std::getenv("HOGWILD_DATA_DIR")) / (std::string(GetParam()) + ".libsvm.xz");
    return open_libsvm(source.string(), {.cache = open_options::cache_use::none});
  }
  void SetUp() override {
    const char* const folder = std::getenv("HOGWILD_DATA_DIR");
    if (folder == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
    const auto source = std::filesystem::path(folder) / (std::string(GetParam()) + ".libsvm.xz");
    if (!std::filesystem::exists(source)) GTEST_SKIP() << source << " is not there";
  }

  // Everything here is the same in every run, so there is no chance in these comparisons.
  template <class Model>
  static void expect_quality_and_bits(const Model& model) {
    const sparse_dataset rows = data();
    const train_options fast{.epochs = 10, .l2 = 1e-4};
    train_options reproducible = fast;
    reproducible.reproducible = true;
    const train_result serial = train(model, rows, serial_engine{}, fast);
    const train_result threads = train(model, rows, thread_engine{.workers = 2}, reproducible);
    const train_result processes = train(model, rows, process_engine{.workers = 2}, reproducible);
    EXPECT_NEAR(threads.objective, serial.objective, 0.005 * serial.objective);
    EXPECT_EQ(threads.parameters, processes.parameters);
    EXPECT_EQ(threads.parameters, train(model, rows, serial_engine{}, reproducible).parameters);
  }
};

TEST_P(reproducible_sets, logistic_ends_where_serial_training_ends) {
  expect_quality_and_bits(logistic{});
}
TEST_P(reproducible_sets, hinge_ends_where_serial_training_ends) {
  expect_quality_and_bits(hinge_svm{});
}

INSTANTIATE_TEST_SUITE_P(sets, reproducible_sets,
                         ::testing::Values("a9a", "imdb.train", "reuters21578.train", "kddcup99.train",
                                           "news20bydate.train"),
                         [](const auto& set) {
                           const std::string name = set.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role reproducible_sets_role([](int argc, char** argv) -> std::optional<int> {
  return hogwild::worker_main<hogwild::logistic, hogwild::hinge_svm>(argc, argv);
});
