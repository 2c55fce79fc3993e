// SPDX-License-Identifier: Apache-2.0
// The main of programs that hold the tests of several sources: --source=FILE runs those of one.
#include <fnmatch.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "program_role.hpp"

namespace {

/// Tells the processes that tests start which source they belong to.
constexpr const char* source_variable = "HOGWILD_TEST_SOURCE";

struct declared_role {
  std::string_view file;
  hogwild::test::program_role::action act;
};

std::vector<declared_role>& declared_roles() {
  static std::vector<declared_role> roles;
  return roles;
}

/// Whether `file`, a path as the compiler got it, is `source`, a path from some folder on.
bool is_source(std::string_view file, std::string_view source) {
  return file == source || file.ends_with("/" + std::string(source));
}

std::vector<const ::testing::TestInfo*> all_tests() {
  std::vector<const ::testing::TestInfo*> tests;
  const ::testing::UnitTest& program = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) tests.push_back(suite.GetTestInfo(t));
  }
  return tests;
}

/// The value of --source=, else of the variable; empty if neither is set.
std::string chosen_source(int argc, char** argv) {
  constexpr std::string_view option = "--source=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(option)) return std::string(argument.substr(option.size()));
  }
  const char* const named = std::getenv(source_variable);
  return named != nullptr ? named : "";
}

/// GoogleTest's filter for the tests that stand in `source`; empty where there are none.
std::string filter_for(std::string_view source) {
  std::string filter;
  for (const ::testing::TestInfo* test : all_tests()) {
    if (!is_source(test->file(), source)) continue;
    filter += std::string(filter.empty() ? "" : ":") + test->test_suite_name() + "." + test->name();
  }
  return filter;
}

/// The first pattern of a filter that selects no test; empty if each selects some. Patterns behind '-' remove tests,
/// and may match none.
std::string idle_pattern(std::string_view filter) {
  filter = filter.substr(0, filter.find('-'));
  while (!filter.empty()) {
    const std::string pattern(filter.substr(0, filter.find(':')));
    filter.remove_prefix(std::min(filter.size(), pattern.size() + 1));
    const auto selects = [&](const ::testing::TestInfo* test) {
      const std::string name = std::string(test->test_suite_name()) + "." + test->name();
      return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    };
    if (std::ranges::none_of(all_tests(), selects)) return pattern;
  }
  return {};
}

}  // namespace

hogwild::test::program_role::program_role(action act, const char* source) {
  declared_roles().push_back({source, act});
}

int main(int argc, char** argv) {
  ::umask(022);  // only their owner may change the files of tests, whoever runs them
  const std::string source = chosen_source(argc, argv);
  if (!source.empty()) ::setenv(source_variable, source.c_str(), 1);
  for (const declared_role& role : declared_roles()) {
    if (!is_source(role.file, source)) continue;
    if (const std::optional<int> code = role.act(argc, argv)) return *code;
  }
  ::testing::InitGoogleTest(&argc, argv);
  for (const ::testing::TestInfo* test : all_tests()) {
    if (std::string_view(test->file()).ends_with("_test.cpp")) continue;
    std::fprintf(stderr, "%s:%d: no --source names this test, so ctest would never run it\n", test->file(),
                 test->line());
    return 2;
  }
  // A given filter overrides the source: a death test starts this program again with one.
  if (!source.empty() && GTEST_FLAG_GET(filter) == "*") {
    const std::string filter = filter_for(source);
    if (filter.empty()) {
      std::fprintf(stderr, "no test stands in %s\n", source.c_str());
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  } else if (source.empty() && !declared_roles().empty()) {
    std::fprintf(stderr, "sources of this program start it again, each in its own way: name one, --source=FILE\n");
    return 2;
  }
  if (const std::string idle = idle_pattern(GTEST_FLAG_GET(filter)); !idle.empty()) {
    std::fprintf(stderr, "no test is selected by %s\n", idle.c_str());
    return 2;
  }
  const int status = RUN_ALL_TESTS();
  if (::testing::UnitTest::GetInstance()->test_to_run_count() > 0) return status;
  std::fprintf(stderr, "no test is selected by %s\n", GTEST_FLAG_GET(filter).c_str());
  return 2;
}
