// SPDX-License-Identifier: Apache-2.0
// For any input the command prints lines of bounded length without control characters.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <hogwild/detail/memory/segment_header.hpp>

#include "small_data.hpp"
#include "support/kept_segment.hpp"
#include "support/messages.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class hostile : public with_small_data {
 protected:
  /// Checks that each line on stderr, and on stdout if `reports` (text for people), is harmless.
  static void expect_harmless(const outcome& o, const command_words& arguments, bool reports = false) {
    std::string command;
    for (const std::string& word : arguments) command += word.substr(0, 60) + " ";
    for (const std::string& line : lines_of(reports ? o.err + o.out : o.err)) {
      EXPECT_TRUE(is_harmless(line)) << nlohmann::json(command).dump(-1, ' ', true,
                                                                     nlohmann::json::error_handler_t::replace);
      EXPECT_LE(line.size(), 2100u);
    }
  }
  static void expect_harmless_refusal(const command_words& arguments) {
    const outcome o = hogwild(arguments);
    EXPECT_THAT(o.code, ::testing::AnyOf(2, 3)) << o.err;
    EXPECT_NE(o.err, "");
    expect_harmless(o, arguments);
  }
};

TEST_F(hostile, words_of_the_command_line_are_quoted) {
  for (const std::string& token :
       {std::string("\x1b[31m\r\a"), std::string("\xff\xc2\x9b"), std::string("a\nb"), std::string(5000, 'x')}) {
    for (const std::string option : {"--model", "--epochs", "--step", "--target", "--hidden", "--engine", "--test",
                                     "--init", "--resume", "--decay", "--rank-timeout", "--freeze", "--transport",
                                     "--net", "--record", "--save", "--checkpoint", "--validation"})
      expect_harmless_refusal(
          {"train", train(), option, token + (option == "--save" || option == "--record" ? "/x" : "/")});
    expect_harmless_refusal({token});
    expect_harmless_refusal({"train", train(), "--" + token});
    expect_harmless_refusal({"train", train(), token});
    expect_harmless_refusal({"train", token});
    expect_harmless_refusal({"predict", token, token});
    expect_harmless_refusal({"evaluate", token, token});
    expect_harmless_refusal({"evaluate", token, "--analogies", token});
    expect_harmless_refusal({"recommend", token, "--user", token});
    expect_harmless_refusal({"neighbors", token, token});
    expect_harmless_refusal({"convert", token, token});
    expect_harmless_refusal({"quantize", token, token});
    expect_harmless_refusal({"inspect", token});
    expect_harmless_refusal({"cache", token});
    expect_harmless_refusal({"worker --attach", token});
  }
}

TEST_F(hostile, data_and_models_are_quoted) {
  const std::string input = *folder / "hostile";
  ASSERT_EQ(hogwild({"train", train(), "--epochs 1 --quiet --save", *folder / "sound.txt"}).code, 0);
  const std::string sound = read_file(*folder / "sound.txt");
  for (const std::string& token : {std::string("\x1b[31mred"), std::string("x\ry"), std::string(5000, 'y')}) {
    write_file(input, "1 1:1 " + token + ":1\n");
    expect_harmless_refusal({"train", input, "--no-cache"});
    expect_harmless_refusal({"train", train(), "--test", input, "--no-cache"});
    expect_harmless_refusal({"predict", *folder / "sound.txt", input, "--no-cache"});
    std::string model = sound;
    model.replace(model.find("width "), 6, "width " + token);
    write_file(input, model);
    for (const char* const command : {"predict", "evaluate"}) expect_harmless_refusal({command, input, test()});
    expect_harmless_refusal({"inspect", input});
    expect_harmless_refusal({"convert", input, *folder / "out"});
    expect_harmless_refusal({"quantize", input, *folder / "out"});
    expect_harmless_refusal({"train", train(), "--init", input});
  }
}

// A model's name may have any bytes but blanks and C0 controls.
TEST_F(hostile, reports_show_names_that_files_have_escaped) {
  const std::string input = *folder / "named.txt";
  ASSERT_EQ(hogwild({"train", train(), "--epochs 1 --quiet --save", input}).code, 0);
  std::string model = read_file(input);
  model.replace(model.find("logistic"), 8,
                "\xc2\x9b"
                "31m\xff");
  write_file(input, model);
  for (const bool json : {false, true}) {
    const command_words arguments = {"inspect", input, json ? "--json" : ""};
    const outcome o = hogwild(arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    expect_harmless(o, arguments, !json);
    EXPECT_EQ(nlohmann::json::accept(o.out), json) << o.out;
  }
}

TEST_F(hostile, sections_of_analogies_are_shown_escaped) {
  const std::string vectors = *folder / "vectors", questions = *folder / "questions";
  write_file(vectors, "4 2\na 1 0\nb 0 1\nc 1 1\nd -1 1\n");
  write_file(questions, ": red\x1b[31m\xff\na b c d\n");
  const command_words arguments = {"evaluate", vectors, "--analogies", questions};
  const outcome o = hogwild(arguments);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("red\\x1b[31m\\xff"));
  expect_harmless(o, arguments, true);
}

// Everybody may write there.
TEST_F(hostile, names_of_segments_are_shown_escaped) {
  const std::string name = "hogwild-\x1b[31m\xc2\x9b" + std::to_string(::getpid());
  segment_header header{};
  header.magic = segment_magic;
  header.ready = 1;
  write_file("/dev/shm/" + name, {reinterpret_cast<const char*>(&header), sizeof header});
  {
    const kept_segment kept(name);  // no purge elsewhere takes it
    const outcome o = hogwild("segments");
    EXPECT_THAT(o.out, HasSubstr("hogwild-\\x1b[31m\\xc2\\x9b" + std::to_string(::getpid())));
    expect_harmless(o, "segments", true);
  }
  expect_harmless(hogwild("segments --purge"), "segments --purge", true);
  std::filesystem::remove("/dev/shm/" + name);
}

// In a file or a pipe they are data.
TEST_F(hostile, names_of_items_are_escaped_for_a_terminal) {
  const std::string ratings = *folder / "ratings", factors = *folder / "factors",
                    item =
                        "a\xc2\x9b"
                        "31m";
  write_file(ratings, "u\t" + item + "\t5\nu\tb\t1\nv\t" + item + "\t4\n");
  ASSERT_EQ(
      hogwild({"train", ratings,
               "--model matrix_factorization --named-ids --factors 2 --step 0.1 --epochs 1 --quiet --save", factors})
          .code,
      0);
  const command_words arguments = {"recommend", factors, "--user u"};
  EXPECT_THAT(hogwild(arguments).out, HasSubstr(item + "\t"));
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) GTEST_SKIP() << "no terminal is available";
  const int held = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);  // what was written stays readable
  EXPECT_EQ(running_command(arguments, "", ::ptsname(terminal)).wait().code, 0);
  char text[1000];
  const ssize_t n = ::read(terminal, text, sizeof text);
  ::close(held);
  ::close(terminal);
  ASSERT_GT(n, 0);
  const std::string shown(text, static_cast<std::size_t>(n));
  EXPECT_THAT(shown, HasSubstr("a\\xc2\\x9b31m"));
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("\xc2\x9b")));
}

TEST_F(hostile, names_of_files_do_not_keep_a_run_from_its_end) {
  const std::string data = *folder / "tr\xff\x1b[31m\n.svm", model = *folder / "m\xff\x1b.bin";
  std::filesystem::copy_file(train(), data);
  for (const bool json : {false, true}) {
    const command_words arguments = {
        "train", data, "--epochs 1 --save", model, "--record", *folder / "r\xff", json ? "--json" : ""};
    const outcome o = hogwild(arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    expect_harmless(o, arguments, !json);
    if (json) {
      EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "done");
    }
  }
  for (const char* const as : {"--list", "--json"}) {
    const outcome o = hogwild({"cache", as, folder->path()});
    EXPECT_EQ(o.code, 0) << o.err;
    expect_harmless(o, "cache", true);
  }
}

TEST_F(hostile, errors_are_told_to_those_who_want_to_hear_nothing_else) {
  for (const char* const engine : {"serial", "threads"}) {
    const outcome o =
        hogwild({"train", train(), "--engine", engine, "--model least_squares --step 1e9 --l2 0 --quiet"});
    EXPECT_EQ(o.code, 5);
    EXPECT_EQ(o.out, "");
    EXPECT_THAT(o.err, HasSubstr("step"));
  }
  EXPECT_NE(hogwild({"train", *folder / "nowhere", "--quiet"}).err, "");
  EXPECT_EQ(hogwild({"train", train(), "--epochs 1 --quiet"}).err, "");
}

}  // namespace
}  // namespace hogwild::test
