// SPDX-License-Identifier: Apache-2.0
#include "platform/trusted_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "support/strangers.hpp"

namespace hogwild::detail {
namespace {

namespace fs = std::filesystem;
using test::scratch_folder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string read_all(const opened_file& file) {
  std::string text(64, '\0');
  const ssize_t got = ::pread(file.fd.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

class trusted_file : public ::testing::Test {
 protected:
  const scratch_folder folder;
  const std::string file = folder.write("file", "what it says");

  void set_mode(mode_t mode) const { test::require_done(::chmod(file.c_str(), mode), file); }
};

TEST_F(trusted_file, is_one_that_nobody_else_may_write) {
  for (const mode_t mode : {0600u, 0644u, 0755u, 0400u}) {
    set_mode(mode);
    const opened_file opened = open_looking(file);
    EXPECT_TRUE(opened.trusted()) << opened.fault;
    EXPECT_EQ(read_all(opened), "what it says");
  }
  set_mode(0664);
  EXPECT_EQ(open_looking(file).fault, "may be written by its group (its mode is 0664)");
  set_mode(0602);
  EXPECT_EQ(open_looking(file).fault, "may be written by everybody (its mode is 0602)");
  EXPECT_FALSE(open_looking(file).trusted());
  EXPECT_EQ(read_all(open_looking(file)), "what it says");  // the caller decides
}

TEST_F(trusted_file, belongs_to_this_user_or_root) {
  struct ::stat state {};
  state.st_mode = S_IFREG | 0644;
  state.st_uid = test::stranger;
  EXPECT_EQ(distrust(state), "belongs to user 65533, who can change it");
  state.st_uid = 0;
  EXPECT_EQ(distrust(state), "");
  state.st_uid = ::geteuid();
  EXPECT_EQ(distrust(state), "");
  if (!test::may_give_away()) return;
  test::let_others_change(file);
  EXPECT_EQ(open_looking(file).fault, "belongs to user 65533, who can change it");
}

TEST_F(trusted_file, is_reached_through_own_links_and_through_no_others) {
  fs::create_directory(folder / "below");
  fs::create_symlink("below/../file", folder / "one");
  fs::create_symlink(folder / "one", folder / "two");
  fs::create_symlink(".", folder / "here");
  for (const char* const name : {"one", "two", "here/file", "here/./two", "below/..//file"}) {
    const opened_file opened = open_looking(folder / name);
    EXPECT_TRUE(opened.trusted()) << name << ": " << opened.fault << ", error " << opened.error;
    EXPECT_EQ(read_all(opened), "what it says");
  }
  if (!test::may_give_away()) GTEST_SKIP() << "only root can make a link of another user";
  test::let_others_change(folder / "here");
  EXPECT_EQ(open_looking(folder / "here/file").fault, "is reached through the link here of user 65533");
  test::let_others_change(folder / "one");
  EXPECT_EQ(open_looking(folder / "two").fault, "is reached through the link one of user 65533");
  EXPECT_EQ(read_all(open_looking(folder / "two")), "what it says");
}

TEST_F(trusted_file, of_a_relative_path_lies_where_this_process_is) {
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_TRUE(open_looking("file").trusted());
  EXPECT_TRUE(open_looking("./file").trusted());
  EXPECT_EQ(open_looking("file/").error, 0);
  fs::current_path(before);
}

TEST_F(trusted_file, is_a_regular_file_and_nothing_is_waited_for) {
  test::require_done(::mkfifo((folder / "pipe").c_str(), 0600), folder / "pipe");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(open_looking(folder / "pipe").error, EINVAL);
  EXPECT_EQ(open_looking(folder.path()).error, EINVAL);
  EXPECT_EQ(open_looking("/dev/zero").error, EINVAL);
  EXPECT_EQ(open_looking(folder / "none").error, ENOENT);
  EXPECT_EQ(open_looking("").error, ENOENT);
  EXPECT_EQ(open_looking(file + "/more").error, ENOTDIR);
  EXPECT_EQ(open_looking(folder / "loop").error, ELOOP);
}

TEST_F(trusted_file, may_be_one_that_a_descriptor_stands_for) {
  const opened_file first = open_looking(file);
  fs::remove(file);
  folder.write("file", "another one");
  for (const std::string& process : {std::string("self"), std::to_string(::getpid())}) {
    const opened_file again = open_looking("/proc/" + process + "/fd/" + std::to_string(first.fd.get()));
    EXPECT_TRUE(again.trusted()) << again.fault << ", error " << again.error;
    EXPECT_EQ(read_all(again), "what it says");
  }
}

TEST_F(trusted_file, is_made_where_there_is_none_for_its_owner_to_write) {
  const mode_t before = ::umask(0);
  const opened_file made = open_looking(folder / "new", O_RDWR | O_CREAT, 0666 & trusted_modes);
  fs::create_symlink("linked", folder / "to nothing");
  const opened_file through_link = open_looking(folder / "to nothing", O_RDWR | O_CREAT, 0666 & trusted_modes);
  ::umask(before);
  EXPECT_TRUE(made.trusted());
  EXPECT_EQ(made.state.st_mode & 0777, 0644u);
  EXPECT_TRUE(through_link.trusted());
  EXPECT_TRUE(fs::exists(folder / "linked"));
  EXPECT_EQ(open_looking(file, O_RDWR | O_CREAT, 0644).state.st_size, 12);
}

TEST_F(trusted_file, that_only_grows_is_refused_where_others_can_change_it) {
  const int fd = open_own_file(file, "the journal");
  EXPECT_GE(fd, 0);
  ::close(fd);
  set_mode(0666);
  EXPECT_THAT(test::message_of<input_error>([&] { open_own_file(file, "the journal"); }),
              AllOf(StartsWith("the journal may be written by everybody"), HasSubstr("chmod go-w")));
}

}  // namespace
}  // namespace hogwild::detail
