// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "command.hpp"

namespace hogwild::test {

/// A folder for all tests of a program, in which each may leave files.
class with_folder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { folder = std::make_unique<scratch_folder>(); }
  static void TearDownTestSuite() { folder.reset(); }

  static std::string file(const std::string& name) { return *folder / name; }

  /// A run of as many epochs, and one of half of them that is resumed, save the same bits.
  static void expect_same_when_resumed(const command_words& run, int epochs) {
    const std::string whole = file("whole.bin"), resumed = file("resumed.bin"), state = file("half.ckpt");
    const std::string all = std::to_string(epochs), half = std::to_string(epochs / 2);
    EXPECT_EQ(hogwild({run, "--epochs", all, "--save", whole}).code, 0);
    EXPECT_EQ(hogwild({run, "--epochs", half, "--checkpoint", state}).code, 0);
    const outcome o = hogwild({run, "--epochs", all, "--resume", state, "--save", resumed});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(read_file(resumed) == read_file(whole)) << ::testing::PrintToString(run);
  }

  inline static std::unique_ptr<scratch_folder> folder;
};

/// Small generated data in it, made once.
class with_small_data : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    const outcome made = hogwild(
        {"generate", train(), "--test", test(), "--rows 3000 --columns 1500 --nonzeros 20 --delta 0.3 --noise 0.02"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  static std::string train() { return file("train.svm"); }
  static std::string test() { return file("test.svm"); }
};

/// Data sets of HOGWILD_DATA_DIR, linked into a folder of their own so that caches go there.
class linked_sets {
 public:
  /// The path of a link; empty where there is no such file.
  std::string link(const std::string& name) {
    const char* const data = std::getenv("HOGWILD_DATA_DIR");
    const auto source = std::filesystem::path(data != nullptr ? data : "") / name, path = folder / name;
    if (data == nullptr || !std::filesystem::exists(source)) {
      missing_ += name + " is not in HOGWILD_DATA_DIR; ";
      return {};
    }
    std::filesystem::create_symlink(source, path);
    return path;
  }
  /// Names the data sets that are missing, as the reason for which a test skips; empty if there are none.
  const std::string& missing() const { return missing_; }

  const scratch_folder folder{};

 private:
  std::string missing_{};
};

}  // namespace hogwild::test
