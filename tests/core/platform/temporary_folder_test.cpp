// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/temporary_folder.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using hogwild::resource_error;
using hogwild::temporary_folder;
using hogwild::test::scratch_folder;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Sets TMPDIR while it lives.
class temporary_files_in {
 public:
  explicit temporary_files_in(const fs::path& folder) {
    if (const char* const given = std::getenv("TMPDIR")) before_ = given;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  temporary_files_in(const temporary_files_in&) = delete;
  temporary_files_in& operator=(const temporary_files_in&) = delete;
  ~temporary_files_in() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }

 private:
  std::optional<std::string> before_{};
};

TEST(temporary_folder, goes_with_all_that_it_holds) {
  const scratch_folder place;
  const temporary_files_in here(place.path());
  {
    const temporary_folder made("some-", "");
    EXPECT_EQ(made.path().parent_path(), place.path());
    EXPECT_TRUE(made.path().filename().string().starts_with("some-"));
    hogwild::test::write_text(made.path() / "file", "text");
  }
  EXPECT_EQ(place.entries(), 0u);
}

TEST(temporary_folder, of_a_killed_process_goes_with_the_next_one) {
  const scratch_folder place;
  const temporary_files_in here(place.path());
  const temporary_folder living("some-", "");
  for (const char* name : {"some-abcdef", "some-abcdefg", "other-abcdef"}) fs::create_directory(place / name);
  hogwild::test::write_text(place / "some-abcdef/file", "left");
  hogwild::test::write_text(place / "some-ABCDEF", "a file");
  const temporary_folder next("some-", "");
  EXPECT_FALSE(fs::exists(place / "some-abcdef"));
  for (const char* name : {"some-abcdefg", "other-abcdef", "some-ABCDEF"})
    EXPECT_TRUE(fs::exists(place / name)) << name;
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_TRUE(fs::exists(next.path()));
}

// Each thread sweeps folders that look abandoned, among them those that others have made and not yet locked.
TEST(temporary_folder, may_be_made_while_others_are) {
  const scratch_folder place;
  const temporary_files_in here(place.path());
  const auto make = [] {
    for (int i = 0; i < 100; ++i) {
      const temporary_folder made("some-", "");
      hogwild::test::write_text(made.path() / "file", "text");
      EXPECT_TRUE(fs::exists(made.path() / "file"));
    }
  };
  {
    const std::jthread other(make);
    make();
  }
  EXPECT_EQ(place.entries(), 0u);
}

TEST(temporary_folder, names_the_place_that_is_missing) {
  const scratch_folder place;
  const temporary_files_in here(place / "missing");
  EXPECT_THAT(
      [] { temporary_folder("some-", ", or do without"); },
      ThrowsMessage<resource_error>(AllOf(HasSubstr("missing"), HasSubstr("TMPDIR"), HasSubstr(", or do without"))));
}

}  // namespace
