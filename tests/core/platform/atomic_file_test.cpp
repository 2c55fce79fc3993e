// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/atomic_file.hpp>

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/temporary_folder.hpp>
#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using hogwild::atomic_file;
using hogwild::test::read_text;
using hogwild::test::scratch_folder;
using hogwild::test::write_text;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(atomic_file, shows_nothing_before_commit_and_everything_after) {
  const scratch_folder folder;
  write_text(folder / "a", "old");
  {
    atomic_file file(folder / "a");
    file.write(bytes("new "));
    file.write(bytes("words"));
    EXPECT_EQ(read_text(folder / "a"), "old");
    file.commit();
    EXPECT_EQ(read_text(folder / "a"), "new words");
  }
  EXPECT_EQ(read_text(folder / "a"), "new words");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(atomic_file, given_up_leaves_the_old_file_and_nothing_aside) {
  const scratch_folder folder;
  write_text(folder / "a", "old");
  {
    atomic_file file(folder / "a");
    file.write(bytes("new"));
    EXPECT_EQ(folder.entries(), 2u);
  }
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(atomic_file, keeps_the_previous_one) {
  const scratch_folder folder;
  for (const char* text : {"first", "second", "third"}) {
    atomic_file file(folder / "a");
    file.write(bytes(text));
    file.commit_keeping(folder / "b");
  }
  EXPECT_EQ(read_text(folder / "a"), "third");
  EXPECT_EQ(read_text(folder / "b"), "second");
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(atomic_file, two_writers_of_one_target_do_not_disturb_each_other) {
  const scratch_folder folder;
  atomic_file one(folder / "a"), other(folder / "a");
  one.write(bytes("one"));
  other.write(bytes("other"));
  other.commit();
  EXPECT_EQ(read_text(folder / "a"), "other");
  one.commit();
  EXPECT_EQ(read_text(folder / "a"), "one");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(atomic_file, sweeps_what_killed_writers_left_but_nobody_elses_files) {
  const scratch_folder folder;
  atomic_file living(folder / "a");
  for (const char* name : {"a.abcdef.aside", "b.abcdef.aside", "a.aside", "a.txt", "a.ab-def.aside"})
    write_text(folder / name, "left");
  { atomic_file next(folder / "a"); }
  EXPECT_FALSE(fs::exists(folder / "a.abcdef.aside"));
  for (const char* name : {"b.abcdef.aside", "a.aside", "a.txt", "a.ab-def.aside"})
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  hogwild::remove_left_asides(folder.path());
  EXPECT_FALSE(fs::exists(folder / "b.abcdef.aside"));
  for (const char* name : {"a.aside", "a.txt", "a.ab-def.aside"}) EXPECT_TRUE(fs::exists(folder / name)) << name;
  living.write(bytes("alive"));
  living.commit();
  EXPECT_EQ(read_text(folder / "a"), "alive");
}

// A file that is begun while others sweep is never lost: each writer has its own file in the end.
TEST(atomic_file, may_be_begun_while_others_sweep) {
  const scratch_folder folder;
  constexpr int files = 200;
  {
    const std::jthread sweeper([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) hogwild::remove_left_asides(folder.path());
    });
    for (int i = 0; i < files; ++i) {
      atomic_file file(folder / std::to_string(i));
      file.write(bytes("whole"));
      file.commit();
    }
  }
  EXPECT_EQ(folder.entries(), static_cast<std::size_t>(files));
}

TEST(atomic_file, refuses_folders_and_missing_folders) {
  const scratch_folder folder;
  EXPECT_THROW(atomic_file(folder.path()), hogwild::input_error);
  EXPECT_THROW(atomic_file(folder / "missing/a"), hogwild::input_error);
  EXPECT_THROW(atomic_file(""), hogwild::input_error);
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
