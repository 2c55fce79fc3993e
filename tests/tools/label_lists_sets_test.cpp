// SPDX-License-Identifier: Apache-2.0
// Published data with several labels a row: the 90 topics of Reuters-21578 that have training and test documents.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

TEST(label_lists_sets, of_reuters90_the_best_label_is_right_in_93_of_100_rows) {
  const char* const data = std::getenv("HOGWILD_DATA_DIR");
  if (data == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
  const scratch_folder scratch;
  for (const std::string name : {"reuters90.train.libsvm.xz", "reuters90.test.libsvm.xz"}) {
    const auto source = std::filesystem::path(data) / name;
    if (!std::filesystem::exists(source)) GTEST_SKIP() << source << " is not there";
    std::filesystem::create_symlink(source, scratch / name);  // so that the cache goes beside the link
  }
  for (const std::vector<std::string>& setting :
       {std::vector<std::string>{"--class-loss", "softmax", "--step", "8", "--l2", "1e-7"},
        {"--class-loss", "one_vs_rest", "--step", "16", "--l2", "0"}}) {
    std::vector<std::string> words{"train",   scratch / "reuters90.train.libsvm.xz",
                                   "--test",  scratch / "reuters90.test.libsvm.xz",
                                   "--model", "softmax",
                                   "--bias",  "--engine",
                                   "serial",  "--epochs",
                                   "30",      "--decay",
                                   "0.85",    "--json"};
    words.insert(words.end(), setting.begin(), setting.end());
    const outcome o = hogwild(words);
    ASSERT_EQ(o.code, 0) << o.err;
    const auto run = nlohmann::json::parse(o.out);
    EXPECT_GE(run["test_precision_at_1"].get<double>(), 0.930) << setting[1];
    EXPECT_GE(run["test_micro_f1"].get<double>(), 0.83) << setting[1];
    EXPECT_GE(run["test_macro_f1"].get<double>(), 0.42) << setting[1];
  }
}

}  // namespace
}  // namespace hogwild::test
