// SPDX-License-Identifier: Apache-2.0
// The main of executables that hold the tests of several sources: --source=FILE runs those of one.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::vector<const ::testing::TestInfo*> all_tests() {
  std::vector<const ::testing::TestInfo*> tests;
  const ::testing::UnitTest& program = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) tests.push_back(suite.GetTestInfo(t));
  }
  return tests;
}

/** What --source= names, or nothing. */
std::string chosen_source(int argc, char** argv) {
  constexpr std::string_view option = "--source=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(option)) return std::string(argument.substr(option.size()));
  }
  return {};
}

/** GoogleTest's filter for the tests that stand in `source`, a path from some folder on; empty where there are none. */
std::string filter_for(const std::string& source) {
  std::string filter;
  for (const ::testing::TestInfo* test : all_tests()) {
    const std::string_view file = test->file();
    if (file != source && !file.ends_with("/" + source)) continue;
    filter += std::string(filter.empty() ? "" : ":") + test->test_suite_name() + "." + test->name();
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const ::testing::TestInfo* test : all_tests()) {
    if (std::string_view(test->file()).ends_with("_test.cpp")) continue;
    std::fprintf(stderr, "%s:%d: no --source names this test, so ctest would never run it\n", test->file(),
                 test->line());
    return 2;
  }
  const std::string source = chosen_source(argc, argv);
  // A death test starts this program again, with a filter of its own.
  if (!source.empty() && GTEST_FLAG_GET(filter) == "*") {
    const std::string filter = filter_for(source);
    if (filter.empty()) {
      std::fprintf(stderr, "no test stands in %s\n", source.c_str());
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
