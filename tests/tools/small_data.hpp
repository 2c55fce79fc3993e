// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"

namespace hogwild::test {

/// Small generated data, made once for all tests of a program, in a folder where each test may leave files.
class with_small_data : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<scratch_folder>();
    const outcome made = hogwild({"generate", train(), "--test", test(), "--rows", "3000", "--columns", "1500",
                                  "--nonzeros", "20", "--delta", "0.3", "--noise", "0.02"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::string train() { return *folder / "train.svm"; }
  static std::string test() { return *folder / "test.svm"; }

  static nlohmann::json result_of(const outcome& o) {
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  }

  inline static std::unique_ptr<scratch_folder> folder;
};

/// Writes 2,000 rows of one column, x from 0 to 2 in steps of a hundredth, with label(row, x); returns the path.
inline std::string rows_of_one_column(const std::string& path, const std::function<double(int row, double x)>& label) {
  std::string text;
  for (int row = 0; row < 2000; ++row) {
    const double x = (row * 37 % 200) / 100.0;
    text += std::to_string(label(row, x)) + " 1:" + std::to_string(x) + "\n";
  }
  write_file(path, text);
  return path;
}

}  // namespace hogwild::test
