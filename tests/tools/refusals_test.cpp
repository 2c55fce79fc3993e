// SPDX-License-Identifier: Apache-2.0
// The refusals of the command, with their messages: each row of refusals/*.txt is a test of its own. A file has these
// lines; a line that begins with a blank continues the one before it.
//
//   # a comment
//   ? SCRIPT                       without what the script finds, the rows of the file are skipped
//   $ SCRIPT                       is run by the shell before the first row, in an empty folder for the file
//   CODE WORDS => PHRASE           "hogwild WORDS" ends with the code, and its message has the phrase
//   CODE WORDS => PHRASE => !OTHER ... as well as other phrases, or not those behind "!"
//
// {a,b} makes a row for a and one for b; {} stands for the same choice later in the row. The shell reads WORDS.
// A refused command prints nothing on standard output, and leaves no file but caches.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

struct statement {
  std::string file;
  int line = 0;
  std::string text;
  int which = 0;  ///< of the words in braces
};
void PrintTo(const statement& s, std::ostream* out) {
  *out << s.text;
}

std::vector<statement> statements_in(const std::string& file) {
  std::vector<statement> found;
  int number = 0;
  for (const std::string& line : lines_of(read_file(file))) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == ' ')
      found.back().text += line.substr(line.find_first_not_of(' ') - 1);
    else
      found.push_back({file, number, line, 0});
  }
  return found;
}

bool is_row(const statement& s) {
  return std::isdigit(static_cast<unsigned char>(s.text.front())) != 0;
}

/// Adds a row, or one for each of the words in its braces.
void add_each(const statement& row, int which, std::vector<statement>& rows) {
  const std::size_t open = row.text.find('{'), close = row.text.find('}', open);
  if (open == std::string::npos) {
    rows.push_back(row);
    return;
  }
  for (std::size_t begin = open + 1, end = 0; begin <= close; begin = end + 1, ++which) {
    end = std::min(row.text.find(',', begin), close);
    const std::string word = row.text.substr(begin, end - begin);
    std::string rest = row.text.substr(close + 1);
    for (std::size_t at = rest.find("{}"); at != std::string::npos; at = rest.find("{}")) rest.replace(at, 2, word);
    rows.push_back({row.file, row.line, row.text.substr(0, open) + word + rest, which});
  }
}

std::vector<statement> all_rows() {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(HOGWILD_REFUSALS)) files.insert(entry.path());
  std::vector<statement> rows;
  for (const std::string& file : files)
    for (const statement& s : statements_in(file))
      if (is_row(s)) add_each(s, 1, rows);
  return rows;
}

/// The folder in which the commands of one file run.
struct prepared_folder {
  scratch_folder folder;
  bool lacks = false;   ///< something that the rows need is not part of this build
  bool failed = false;  ///< a script did

  explicit prepared_folder(const std::string& file) {
    for (const statement& s : statements_in(file)) {
      if (is_row(s)) continue;
      const outcome o = shell(s.text.substr(2));
      if (s.text.front() == '?')
        lacks = lacks || o.code != 0;
      else if (!lacks && o.code != 0) {
        failed = true;
        ADD_FAILURE_AT(file.c_str(), s.line) << s.text << "\n" << o.err;
      }
    }
  }
  outcome shell(const std::string& script) const {
    const std::string program = fs::path(hogwild_path()).parent_path();
    return run_program({"/bin/sh -c", "PATH=\"$0:$PATH\"; cd \"$1\" || exit; " + script, program, folder.path()});
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      if (entry.path().extension() != ".hogwild") names.insert(entry.path());
    return names;
  }
};

class refused : public ::testing::TestWithParam<statement> {
 protected:
  static const prepared_folder& prepared(const std::string& file) {
    std::unique_ptr<prepared_folder>& place = places[file];
    if (place == nullptr) place = std::make_unique<prepared_folder>(file);
    return *place;
  }
  static void TearDownTestSuite() { places.clear(); }

  inline static std::map<std::string, std::unique_ptr<prepared_folder>> places;
};

TEST_P(refused, with_this_sentence) {
  const auto& [file, line, text, which] = GetParam();
  const ::testing::ScopedTrace where(file.c_str(), line, text);
  const prepared_folder& place = prepared(file);
  if (place.lacks) GTEST_SKIP() << "this build lacks what the rows of " << file << " need";
  ASSERT_FALSE(place.failed) << "a script of this file has failed";
  std::size_t arrow = text.find(" => ");
  ASSERT_NE(arrow, std::string::npos) << "CODE WORDS => PHRASE";
  const auto before = place.files();
  const outcome o = place.shell("exec hogwild" + text.substr(1, arrow - 1));
  EXPECT_EQ(o.code, text.front() - '0') << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err, Not(HasSubstr("internal fault")));
  EXPECT_EQ(place.files(), before);
  while (arrow != std::string::npos) {
    const std::size_t begin = arrow + 4;
    arrow = text.find(" => ", begin);
    const std::string phrase = text.substr(begin, arrow == std::string::npos ? arrow : arrow - begin);
    if (phrase.front() == '!')
      EXPECT_THAT(o.err, Not(HasSubstr(phrase.substr(1))));
    else
      EXPECT_THAT(o.err, HasSubstr(phrase));
  }
}

INSTANTIATE_TEST_SUITE_P(every, refused, ::testing::ValuesIn(all_rows()), [](const auto& row) {
  const statement& s = row.param;
  return fs::path(s.file).stem().string() + "_" + std::to_string(s.line) +
         (s.which > 0 ? "_" + std::to_string(s.which) : "");
});

}  // namespace
}  // namespace hogwild::test
