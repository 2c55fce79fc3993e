// SPDX-License-Identifier: Apache-2.0
// The fate of files that exist at the path of an output.
#include <hogwild/detail/platform/atomic_file.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/results/run_record.hpp>
#include <hogwild/error.hpp>
#include <hogwild/word_vectors.hpp>

#include "support/scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using hogwild::atomic_file;
using hogwild::test::read_text;
using hogwild::test::scratch_folder;
using hogwild::test::write_text;

void put(const fs::path& target, std::string_view text) {
  atomic_file file(target);
  file.write(std::as_bytes(std::span(text.data(), text.size())));
  file.commit();
}

mode_t mode_of(const fs::path& file) {
  struct ::stat state {};
  EXPECT_EQ(::lstat(file.c_str(), &state), 0) << file;
  return state.st_mode;
}

/// While it lives, this process creates files without these mode bits.
class umask_of {
 public:
  explicit umask_of(mode_t bits) : before_(::umask(bits)) {}
  ~umask_of() { ::umask(before_); }

 private:
  mode_t before_;
};

struct output_targets : testing::Test {
  const scratch_folder folder;
};

TEST_F(output_targets, a_link_stays_and_what_it_leads_to_is_replaced) {
  fs::create_directory(folder / "sub");
  write_text(folder / "sub/real", "old");
  fs::create_symlink("sub/real", folder / "link");
  fs::create_symlink(folder / "link", folder / "link of link");
  put(folder / "link of link", "new");
  EXPECT_EQ(read_text(folder / "sub/real"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link of link"));
  {
    const atomic_file unfinished(folder / "link");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "sub"), {}), 2) << "aside, where the file is";
  }
  fs::create_symlink("sub/new", folder / "dangling");
  put(folder / "dangling", "made");
  EXPECT_EQ(read_text(folder / "sub/new"), "made");
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
  EXPECT_EQ(folder.entries(), 4u);
}

TEST_F(output_targets, links_that_lead_nowhere_are_refused) {
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  fs::create_symlink("missing/file", folder / "c");
  fs::create_symlink(".", folder / "d");
  for (const char* name : {"a", "c", "d"}) {
    EXPECT_THROW(atomic_file(folder / name), hogwild::input_error) << name;
    EXPECT_THROW(hogwild::run_record(folder / name), hogwild::input_error) << name;
  }
  EXPECT_EQ(folder.entries(), 4u);
}

/// The reading end of a FIFO, opened without waiting for a writer.
class fifo_reader {
 public:
  explicit fifo_reader(const std::string& fifo) : fd_(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK)) {}
  fifo_reader(const fifo_reader&) = delete;
  fifo_reader& operator=(const fifo_reader&) = delete;
  ~fifo_reader() { ::close(fd_); }

  std::string text() const {
    std::array<char, 4096> bytes{};
    const ssize_t n = ::read(fd_, bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }
  /// Whether a writer has come and gone since this end was opened.
  bool at_end() const {
    pollfd end{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&end, 1, 0) == 1 && end.revents == POLLHUP;
  }

 private:
  int fd_;
};

TEST_F(output_targets, a_fifo_hands_over_what_is_written) {
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const fifo_reader reader(fifo);
  { const atomic_file probe(fifo); }
  EXPECT_FALSE(reader.at_end()) << "a look at the place must not be its end";
  {
    atomic_file file(fifo);
    file.write(std::as_bytes(std::span("through", 7)));
    EXPECT_EQ(reader.text(), "through");
    EXPECT_FALSE(reader.at_end());
    file.commit();
    EXPECT_TRUE(reader.at_end());
  }
  hogwild::run_record(fifo).write(hogwild::epoch_report{.epoch = 1});
  EXPECT_EQ(reader.text().find("{\"kind\":\"epoch\""), 0u);
  hogwild::save_word_vectors(fifo, {.dimension = 1, .words = {"a"}, .values = {0.5f}}, hogwild::vector_format::text);
  EXPECT_EQ(reader.text(), "1 1\na 0.5\n");
  EXPECT_TRUE(S_ISFIFO(mode_of(fifo)));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST_F(output_targets, a_device_keeps_its_place) {
  const std::string device = folder / "null";
  if (::mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "this user may not make devices";
  if (const int fd = ::open(device.c_str(), O_WRONLY); fd < 0 || ::close(fd) != 0)
    GTEST_SKIP() << "devices are not to be opened in " << folder.path();
  put(device, "into nothing");
  fs::create_symlink("null", folder / "link");
  put(folder / "link", "into nothing");
  hogwild::run_record(device).write(hogwild::epoch_report{.epoch = 1});
  EXPECT_TRUE(S_ISCHR(mode_of(device)));
  EXPECT_EQ(folder.entries(), 2u);
}

TEST_F(output_targets, a_socket_is_refused_and_stays) {
  const std::string name = folder / "socket";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, name.c_str(), name.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THROW(atomic_file{name}, hogwild::input_error);
  EXPECT_TRUE(S_ISSOCK(mode_of(name)));
  ::close(fd);
}

TEST_F(output_targets, a_descriptor_is_written_from_where_it_stands) {
  const int fd = ::open((folder / "log").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(fd, "first ", 6), 6);
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  put(name, "second ");
  fs::create_symlink(name, folder / "link");
  put(folder / "link", "third ");
  hogwild::run_record(name).write(hogwild::epoch_report{.epoch = 1});
  EXPECT_EQ(read_text(folder / "log").find("first second third {\"kind\":\"epoch\""), 0u);

  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  put("/dev/fd/" + std::to_string(ends[1]), "through");
  std::array<char, 16> got{};
  EXPECT_EQ(::read(ends[0], got.data(), got.size()), 7);
  EXPECT_THROW(atomic_file("/dev/fd/" + std::to_string(ends[0])), hogwild::resource_error) << "open for reading";
  for (const int end : ends) ::close(end);
  EXPECT_THROW(atomic_file("/dev/fd/" + std::to_string(ends[1])), hogwild::resource_error) << "closed";
  ::close(fd);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST_F(output_targets, no_checkpoint_is_kept_in_what_is_no_file) {
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THROW(hogwild::require_checkpoint_place(fifo), hogwild::input_error);
  EXPECT_THROW(hogwild::write_checkpoint(fifo, {}), hogwild::input_error) << "and no reader is waited for";
  EXPECT_THROW(hogwild::require_checkpoint_place(folder / "missing/a"), hogwild::input_error);
  EXPECT_NO_THROW(hogwild::require_checkpoint_place(folder / "a"));
  atomic_file file(fifo);
  EXPECT_THROW(file.commit_keeping(folder / "fifo.previous"), hogwild::input_error);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST_F(output_targets, checkpoints_behind_a_link_lie_where_it_leads_to) {
  fs::create_directory(folder / "sub");
  fs::create_symlink("sub/state", folder / "link");
  for (const std::uint64_t epoch : {1u, 2u}) hogwild::write_checkpoint(folder / "link", {.epoch = epoch});
  EXPECT_EQ(hogwild::read_checkpoint(folder / "link").epoch, 2u);
  EXPECT_EQ(hogwild::read_checkpoint(folder / "sub/state.previous").epoch, 1u);
  write_text(folder / "sub/state", "torn");
  EXPECT_EQ(hogwild::read_checkpoint(folder / "link").epoch, 1u);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST_F(output_targets, a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode) {
  for (const auto& [mask, mode] : {std::pair<mode_t, mode_t>{0022, 0644}, {0077, 0600}, {0002, 0664}, {0, 0666}}) {
    const umask_of bits(mask);
    fs::remove(folder / "a");
    put(folder / "a", "new");
    EXPECT_EQ(mode_of(folder / "a") & 07777, mode);
    fs::remove(folder / "a");
    hogwild::write_checkpoint(folder / "a", {});
    EXPECT_EQ(mode_of(folder / "a") & 07777, mode & 0755u);  // nobody but its owner may write to it
    fs::remove(folder / "a");
    const hogwild::run_record record(folder / "a");
    EXPECT_EQ(mode_of(folder / "a") & 07777, mode);
  }
  for (const mode_t mode : {0600u, 0640u, 0755u, 0666u}) {
    ASSERT_EQ(::chmod((folder / "a").c_str(), mode), 0);
    const atomic_file unfinished(folder / "a");
    for (const auto& entry : fs::directory_iterator(folder.path())) EXPECT_EQ(mode_of(entry.path()) & 07777, mode);
    put(folder / "a", "newer");
    EXPECT_EQ(mode_of(folder / "a") & 07777, mode);
  }
}

TEST_F(output_targets, the_owner_of_a_file_stays) {
  write_text(folder / "a", "old");
  if (::geteuid() != 0 || ::chown((folder / "a").c_str(), 12345, 54321) != 0)
    GTEST_SKIP() << "this user may not give files away";
  put(folder / "a", "new");
  struct ::stat state {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &state), 0);
  EXPECT_EQ(state.st_uid, 12345u);
  EXPECT_EQ(state.st_gid, 54321u);
}

TEST_F(output_targets, a_file_that_this_user_may_not_write_stays) {
  write_text(folder / "a", "old");
  fs::permissions(folder / "a", fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0777));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    try {
      put(folder / "a", "new");
    } catch (const hogwild::input_error&) {
      ::_exit(0);
    }
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "root cannot become another user here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

}  // namespace
