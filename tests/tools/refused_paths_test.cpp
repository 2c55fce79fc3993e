// SPDX-License-Identifier: Apache-2.0
// Paths that cannot be opened: whichever command is given one ends with 3 and a sentence.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class refused_path : public with_small_data {
 protected:
  static void SetUpTestSuite() {
    with_small_data::SetUpTestSuite();
    ASSERT_EQ(hogwild({"train", train(), "--epochs 1 --quiet --save", model()}).code, 0);
  }
  static std::string model() { return *folder / "model.bin"; }

  /// All commands that read or write `path`.
  static std::vector<command_words> commands(const std::string& path) {
    return {{"train", path},
            {"train", train(), "--test", path},
            {"train", train(), "--validation", path},
            {"train", train(), "--init", path},
            {"train", train(), "--resume", path},
            {"train", train(), "--save", path},
            {"train", train(), "--record", path},
            {"train", train(), "--checkpoint", path},
            {"train", path, "--model matrix_factorization"},
            {"train", path, "--model graph_cut"},
            {"train", path, "--model skip_gram"},
            {"train", path, "--format idx --labels", path},
            {"train", path, "--format cifar"},
            {"predict", path, test()},
            {"predict", model(), path},
            {"predict", model(), test(), "--output", path},
            {"evaluate", path, test()},
            {"evaluate", model(), path},
            {"evaluate", path, "--analogies", path},
            {"recommend", path, "--user 1"},
            {"convert", path, *folder / "out"},
            {"convert", model(), path},
            {"inspect", path},
            {"cache", path},
            {"generate", path, "--rows 10"}};
  }

  static void expect_refused(const outcome& o, const command_words& command, const std::string& reason) {
    SCOPED_TRACE(::testing::PrintToString(command));
    expect_told(o, 3, reason);
    EXPECT_EQ(o.err.find("internal fault"), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "");
  }
};

TEST_F(refused_path, is_told_with_its_reason) {
  std::filesystem::create_symlink("b", *folder / "a");
  std::filesystem::create_symlink("a", *folder / "b");
  struct refused {
    std::string path, reason;
  };
  for (const auto& [path, reason] :
       {refused{*folder / "a/x", "symbolic links"}, refused{*folder / std::string(300, 'x'), "File name too long"},
        refused{*folder / "nowhere/x", "No such file or directory"}, refused{train() + "/x", "Not a directory"}})
    for (const auto& command : commands(path)) expect_refused(hogwild(command), command, reason);
  // An output goes through a link's name, or is refused because of it; an input is refused.
  for (const char* const name : {"train", "inspect", "cache"})
    expect_refused(hogwild({name, *folder / "a"}), {name, "a"}, "symbolic links");
}

TEST_F(refused_path, may_be_a_cache_folder_which_is_only_noted) {
  const std::string longer = *folder / std::string(250, 'y');  // no room for a cache's name beside it
  std::filesystem::copy_file(train(), longer);
  for (const std::string& caches : {(*folder / "c/x").string(), (*folder / std::string(300, 'x')).string(), train()}) {
    std::filesystem::remove(*folder / "c");
    std::filesystem::create_symlink("c", *folder / "c");
    expect_told(hogwild({"train", longer, "--epochs 1 --cache-dir", caches}), 0, "no cache is written");
  }
}

/// Runs a command without the rights of root, where this is root, with `variables` in front.
outcome as_anybody(const command_words& arguments, const command_words& variables = {}) {
  const char* const become =
      ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all" : "";
  return run_program({"/usr/bin/env", variables, become, hogwild_path(), arguments});
}

TEST_F(refused_path, may_lie_in_a_folder_without_permission) {
  std::filesystem::permissions(folder->path(), std::filesystem::perms(0755));
  const outcome can = as_anybody({"inspect", model()});
  if (can.code != 0) GTEST_SKIP() << "another user cannot run the program here: " << can.err;
  const std::filesystem::path locked = *folder / "locked";
  std::filesystem::create_directory(locked);
  std::filesystem::copy_file(train(), locked / "x");
  std::filesystem::permissions(locked, std::filesystem::perms(0));
  for (const auto& command : commands(locked / "x")) expect_refused(as_anybody(command), command, "Permission denied");
  expect_refused(as_anybody({"cache", locked}), "cache", "Permission denied");
  expect_refused(as_anybody("cache", {"XDG_CACHE_HOME=" + locked.string()}), "cache", "Permission denied");
  std::filesystem::permissions(locked, std::filesystem::perms(0700));
}

TEST_F(refused_path, of_the_usual_cache_folder_is_refused_where_caches_are_listed) {
  const auto listed = [](const std::string& caches) {
    return run_program({"/usr/bin/env", "XDG_CACHE_HOME=" + caches, hogwild_path(), "cache"});
  };
  expect_refused(listed("/" + std::string(300, 'x')), "cache", "File name too long");
  EXPECT_EQ(listed(*folder / "none").code, 0) << "there need not be one";
}

TEST_F(refused_path, may_be_all_there_is_of_the_present_folder) {
  const std::string gone = *folder / "gone";
  std::filesystem::create_directory(gone);
  const outcome o = in_shell("cd " + gone + "; rmdir " + gone + "; exec \"$@\"", "train x.svm");
  expect_refused(o, "train", "No such file or directory");
}

}  // namespace
}  // namespace hogwild::test
