// SPDX-License-Identifier: Apache-2.0
// Published data, trained by defaults: factorization machines predict better than the linear model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

class machine_sets : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("HOGWILD_DATA_DIR");
    if (data == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
    for (const std::string name : {"a9a.libsvm.xz", "a9a.t.libsvm.xz"}) {
      const auto source = std::filesystem::path(data) / name;
      if (!std::filesystem::exists(source)) GTEST_SKIP() << source << " is not there";
      std::filesystem::create_symlink(source, scratch / name);  // so that the cache goes beside the link
    }
  }
  std::string train() const { return scratch / "a9a.libsvm.xz"; }
  std::string test() const { return scratch / "a9a.t.libsvm.xz"; }

  nlohmann::json trained(const std::string& rows, const std::string& others, const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", rows, "--test", others, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const outcome o = hogwild(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
  }

  /// The same rows as libffm text: columns 1 to 123 of a9a stand for the values of 14 attributes, one after the other.
  std::string with_fields(const std::string& rows) const {
    constexpr std::array<std::uint32_t, 14> first = {1, 6, 14, 19, 35, 40, 47, 61, 67, 72, 74, 76, 78, 83};
    const sparse_dataset data = open_libsvm(rows);
    row_cursor cursor(data.view());
    std::string text;
    for (std::size_t r = 0; r < data.rows(); ++r) {
      text += data.view().label[r] > 0 ? "1" : "0";
      for (const auto [position, value] : cursor.row(r)) {
        const std::uint32_t column = data.original(position);
        const auto field = std::ranges::upper_bound(first, column) - first.begin() - 1;
        text += " " + std::to_string(field) + ":" + std::to_string(column) + ":1";
      }
      text += "\n";
    }
    const std::string place = std::filesystem::path(rows).replace_extension(".ffm");
    write_file(place, text);
    return place;
  }

  scratch_folder scratch;
};

TEST_F(machine_sets, machines_predict_better_than_the_linear_model) {
  const auto linear = trained(train(), test(), {"--model", "logistic", "--bias"});
  const std::string train_fields = with_fields(train()), test_fields = with_fields(test());
  for (const auto& engine : {std::vector<std::string>{"--engine", "serial"},
                             {"--engine", "threads", "--workers", "2"},
                             {"--engine", "processes", "--workers", "2"},
                             {"--engine", "threads", "--workers", "2", "--storage", "half"}}) {
    auto words = engine;
    words.insert(words.end(), {"--model", "factorization_machine"});
    const auto machine = trained(train(), test(), words);
    EXPECT_LT(machine["test_loss"], linear["test_loss"]) << engine[1];
    EXPECT_GT(machine["test_auc"], linear["test_auc"]) << engine[1];
    words.back() = "ffm";
    const auto fields = trained(train_fields, test_fields, words);
    EXPECT_LT(fields["test_loss"], machine["test_loss"]) << engine[1];
    EXPECT_GT(fields["test_accuracy"], linear["test_accuracy"]) << engine[1];
  }
}

}  // namespace
}  // namespace hogwild::test
