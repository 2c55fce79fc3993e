// SPDX-License-Identifier: Apache-2.0
// Outputs of the command, to files and other targets, and its errors if it cannot write them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class outputs : public with_small_data {
 protected:
  static void SetUpTestSuite() {
    with_small_data::SetUpTestSuite();
    const outcome trained = hogwild(short_run({"--save", model()}));
    ASSERT_EQ(trained.code, 0) << trained.err;
    ASSERT_EQ(hogwild({"predict", model(), test(), "--output", predictions()}).code, 0);
  }
  static std::string model() { return *folder / "model.bin"; }
  static std::string predictions() { return *folder / "predictions.txt"; }
  static command_words short_run(const command_words& more) {
    return {"train", train(), "--engine serial --step 0.1 --epochs 1 --quiet", more};
  }
  /// Each command that writes a file, writing it there; "train --save" first.
  static std::vector<command_words> writing_to(const std::string& file) {
    return {short_run({"--save", file}),
            {"predict", model(), test(), "--output", file},
            {"convert", model(), file},
            {"generate", file, "--rows 100 --columns 500 --nonzeros 10 --delta 0.3"},
            short_run({"--record", file})};
  }
  /// The text that a reader of the FIFO got from one run of the command.
  static std::string read_from(const std::string& fifo, const command_words& arguments) {
    const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
    const outcome o = hogwild(arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    std::string got(1 << 16, ' ');  // more than any of them writes, and no more than the system keeps
    const ssize_t n = ::read(reader, got.data(), got.size());
    ::close(reader);
    got.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    return got;
  }
};

TEST_F(outputs, a_fifo_is_written_into) {
  const std::string fifo = *folder / "fifo";
  for (const command_words& arguments : writing_to(fifo)) {
    fs::remove(fifo);
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_NE(read_from(fifo, arguments), "") << arguments.front();
    EXPECT_TRUE(fs::is_fifo(fifo)) << arguments.front();
  }
  EXPECT_EQ(read_from(fifo, {"predict", model(), test(), "--output", fifo}), read_file(predictions()));
  fs::remove(fifo);
}

TEST_F(outputs, a_link_is_followed) {
  const std::string link = *folder / "link", file = *folder / "behind";
  for (const command_words& arguments : writing_to(link)) {
    fs::remove(file), fs::remove(link);
    fs::create_symlink("behind", link);
    for (const char* when : {"dangling", "there"}) {
      const outcome o = hogwild(arguments);
      EXPECT_EQ(o.code, 0) << o.err;
      EXPECT_TRUE(fs::is_symlink(link) && fs::is_regular_file(file)) << arguments.front() << when;
    }
  }
  fs::remove(file), fs::remove(link);
  fs::create_symlink("link", link);
  for (const command_words& arguments : writing_to(link)) EXPECT_EQ(hogwild(arguments).code, 3) << arguments.front();
  EXPECT_TRUE(fs::is_symlink(link));
  fs::remove(link);
}

// As users of pipes and redirections expect, the output stands between that of other programs.
TEST_F(outputs, standard_output_may_be_named) {
  const std::string saved = read_file(model()), said = read_file(predictions()), out = *folder / "out";
  fs::create_symlink("/proc/self/fd/1", out);
  for (const std::string& name : {std::string("/proc/self/fd/1"), out}) {
    const command_words predict = {"predict", model(), test(), "--output", name};
    EXPECT_EQ(in_shell("\"$@\" | cat", predict).out, said);
    EXPECT_EQ(in_shell("echo first; \"$@\"; echo last", predict).out, "first\n" + said + "last\n") << "to a file";
    EXPECT_EQ(in_shell("\"$@\" 2>/dev/null | cat", short_run({"--save", name})).out, saved);
  }
  EXPECT_TRUE(fs::is_symlink(out));
  fs::remove(out);
}

TEST_F(outputs, what_is_told_beside_an_output_is_not_mixed_into_it) {
  const outcome saved =
      in_shell("\"$@\" | cat", {"train", train(), "--engine serial --step 0.1 --epochs 1 --save /proc/self/fd/1"});
  EXPECT_EQ(saved.out, read_file(model()));
  EXPECT_THAT(saved.err, HasSubstr("saved       /proc/self/fd/1"));
  const outcome made =
      in_shell("\"$@\" | cat", {"generate /proc/self/fd/1 --rows 100 --columns 500 --nonzeros 10 --delta 0.3 --json"});
  EXPECT_EQ(lines_of(made.out).size(), 100u);
  EXPECT_THAT(made.err, StartsWith("{"));
}

TEST_F(outputs, modes_follow_the_umask) {
  const std::string file = *folder / "mode";
  const auto mode = [&] { return fs::status(file).permissions(); };
  const auto expect_modes = [&](const command_words& arguments, unsigned for_a_group) {
    for (const auto& [mask, expected] : {std::pair<const char*, unsigned>{"077", 0600u}, {"002", for_a_group}}) {
      fs::remove(file);
      const outcome o = in_shell("umask " + std::string(mask) + "; \"$@\"", arguments);
      EXPECT_EQ(o.code, 0) << o.err;
      EXPECT_EQ(mode(), fs::perms(expected)) << arguments.front() << mask;
    }
  };
  for (const command_words& arguments : writing_to(file)) expect_modes(arguments, 0664u);
  // A run resumes only from files that nobody but their owner can write.
  expect_modes(short_run({"--checkpoint", file}), 0644u);
  fs::permissions(file, fs::perms(0640));
  EXPECT_EQ(hogwild({"convert", model(), file}).code, 0);
  EXPECT_EQ(mode(), fs::perms(0640)) << "a file that is overwritten keeps its mode";
  fs::remove(file), fs::remove(file + ".previous");
}

TEST_F(outputs, a_limit_on_file_sizes_is_4_and_leaves_nothing) {
#if defined(__clang__)
  GTEST_SKIP() << "LLVM's OpenMP ends a program at its start where no file may be written";
#endif
  const std::string place = *folder / "limited";
  fs::create_directory(place);
  std::vector<command_words> all = writing_to(place + "/file");
  all.pop_back();  // a record: below
  all.push_back(short_run({"--checkpoint", place + "/file"}));
  all.push_back({"train", train(), "--no-cache"});
  for (const command_words& arguments : all) {
    const outcome o = in_shell("ulimit -f 1; \"$@\"", arguments);  // 512 bytes, or 1024
    EXPECT_EQ(o.code, 4) << arguments.front() << o.err;
    EXPECT_THAT(o.err, HasSubstr("ulimit -f")) << arguments.front();
    EXPECT_TRUE(fs::is_empty(place)) << arguments.front();
  }
  EXPECT_EQ(in_shell("ulimit -f 1; \"$@\"", short_run({"--record", place + "/file"})).code, 4);
  const std::string record = read_file(place + "/file");
  EXPECT_TRUE(record.empty() || record.back() == '\n') << record;
  EXPECT_EQ(in_shell("ulimit -f 1; \"$@\" > " + place + "/file", {"predict", model(), test()}).code, 4);
  // There is no room for the progress messages in their file; the run goes on.
  const command_words told = {"train", train(), "--engine serial --step 0.1 --epochs 50"};
  EXPECT_EQ(in_shell("ulimit -f 1; \"$@\" 2> " + place + "/told", told).code, 0);
  fs::remove_all(place);
}

TEST_F(outputs, what_standard_output_does_not_take_is_4) {
  const command_words run = {"train", train(), "--engine serial --step 0.1 --epochs 1"};
  const std::vector<command_words> all = {
      run,
      {run, "--json"},
      {"predict", model(), test()},
      {"evaluate", model(), test()},
      {"inspect", model()},
      {"inspect", model(), "--json"},
      {"cache", folder->path()},
      {"cache", folder->path(), "--json"},
      "segments",
      "segments --json",
      {"generate", *folder / "more.svm", "--rows 100 --columns 500 --nonzeros 10 --delta 0.3"},
      "--version",
      "--version --json",
      "--help",
      "train --help"};
  for (const command_words& arguments : all) {
    for (const char* script : {"\"$@\" > /dev/full", "\"$@\" >&-"}) {
      expect_told(in_shell(script, arguments), 4, "hogwild: cannot write to standard output: ");
    }
  }
  EXPECT_EQ(in_shell("\"$@\" >&-", short_run({})).code, 0) << "nothing was to be said";
}

// A file that is opened while a standard stream is closed must not get its number: messages would go into it.
TEST_F(outputs, closed_standard_streams_write_into_no_file) {
  const std::string data = *folder / "anew.svm", cache = data + ".hogwild";
  fs::copy_file(train(), data);
  for (const char* script : {"\"$@\" >&-", "\"$@\" 2>&-", "\"$@\" >&- 2>&-", "\"$@\" <&- >&- 2>&-"}) {
    for (const char* engine : {"serial", "processes"}) {
      fs::remove(cache);
      in_shell(script, {"train", data, "--engine", engine, "--step 0.1 --epochs 3"});
      const outcome o = hogwild({"inspect --verify", cache});
      EXPECT_EQ(o.code, 0) << script << o.err;
      EXPECT_THAT(o.out, HasSubstr("dataset cache")) << script;
    }
  }
  EXPECT_EQ(in_shell("\"$@\" <&-", {"train -"}).code, 3);
}

}  // namespace
}  // namespace hogwild::test
