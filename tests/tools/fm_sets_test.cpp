// SPDX-License-Identifier: Apache-2.0
// Published data, trained by defaults: factorization machines predict better than the linear model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

class fm_sets : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sets.missing().empty()) GTEST_SKIP() << sets.missing();
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

  linked_sets sets;
  const std::string train = sets.link("a9a.libsvm.xz"), test = sets.link("a9a.t.libsvm.xz");
};

TEST_F(fm_sets, factorization_machines_predict_better_than_the_linear_model) {
  const auto linear = result_of({"train", train, "--test", test, "--model logistic --bias --json"});
  const std::string train_fields = with_fields(train), test_fields = with_fields(test);
  for (const char* const engine :
       {"serial", "threads --workers 2", "processes --workers 2", "threads --workers 2 --storage half"}) {
    const auto machine =
        result_of({"train", train, "--test", test, "--model factorization_machine --json --engine", engine});
    EXPECT_LT(machine["test_loss"], linear["test_loss"]) << engine;
    EXPECT_GT(machine["test_auc"], linear["test_auc"]) << engine;
    const auto fields =
        result_of({"train", train_fields, "--test", test_fields, "--model ffm --json --engine", engine});
    EXPECT_LT(fields["test_loss"], machine["test_loss"]) << engine;
    EXPECT_GT(fields["test_accuracy"], linear["test_accuracy"]) << engine;
  }
}

}  // namespace
}  // namespace hogwild::test
