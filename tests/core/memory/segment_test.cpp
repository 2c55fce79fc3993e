// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/segment.hpp>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/error.hpp>

#include "support/comes_to.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

namespace {

constexpr std::size_t small = segment_header_bytes + 100;
const segment_identity identity{.layout_hash = 11, .build_id = 22, .model_name = "logistic", .label = "a9a"};

std::string path_of(const std::string& name) {
  return "/dev/shm/" + name;
}
bool exists(const std::string& name) {
  return ::access(path_of(name).c_str(), F_OK) == 0;
}

/// Overwrites a field of the header in the file, as a damaged or foreign segment would have it.
template <class T>
void patch(const std::string& name, std::size_t offset, T value) {
  const int fd = ::open(path_of(name).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::pwrite(fd, &value, sizeof value, static_cast<off_t>(offset)), static_cast<ssize_t>(sizeof value));
  ::close(fd);
}

/// Matches a call that throws E with a message that holds all these parts.
template <class E, class... Parts>
auto refuses_with(Parts... parts) {
  return ThrowsMessage<E>(AllOf(HasSubstr(parts)...));
}

auto attaching(const std::string& name, const segment_identity& who = identity) {
  return [=] { segment::attach(name, who); };
}
auto creating(const std::string& name, std::size_t bytes) {
  return [=] { segment::create(name, bytes, identity); };
}

/// Runs in a /dev/shm of 1 MiB of its own. Returns 0 on success, and 77 if it may not have one.
constexpr int not_allowed = 77;
int in_small_shared_memory() {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") != 0) {
    return not_allowed;
  }
  const std::size_t half = 512u << 10, whole = 1u << 20;
  {
    segment fits = segment::create("hogwild-fits", half, identity);
    std::memset(fits.data() + segment_header_bytes, 1, half - segment_header_bytes);
    try {
      segment::create("hogwild-too-large", whole, identity);
      return 1;
    } catch (const resource_error& refused) {
      const std::string what = refused.what();
      if (what.find("needs 1048576 bytes (1 MiB)") == std::string::npos) return 2;
      if (what.find("only 524288 bytes (0 MiB) free") == std::string::npos) return 3;
      if (what.find("docker run --shm-size=2m") == std::string::npos) return 4;
    }
    if (exists("hogwild-too-large")) return 5;
  }
  segment all = segment::create("hogwild-all", whole, identity);  // and what was free before must be free again
  std::memset(all.data() + segment_header_bytes, 1, whole - segment_header_bytes);
  return 0;
}

TEST(segment, both_sides_see_the_same_bytes) {
  segment creator = segment::create(unique_segment_name(), small, identity);
  segment attached = segment::attach(creator.name(), identity);
  EXPECT_NE(creator.data(), attached.data());
  EXPECT_EQ(creator.bytes(), small);
  EXPECT_EQ(attached.bytes(), small);
  EXPECT_TRUE(creator.owner());
  EXPECT_FALSE(attached.owner());
  EXPECT_EQ(attached.data()[small - 1], std::byte{0});
  creator.data()[small - 1] = std::byte{7};
  EXPECT_EQ(attached.data()[small - 1], std::byte{7});
}

TEST(segment, its_header_says_whose_it_is) {
  const segment s = segment::create(unique_segment_name(), small, identity);
  const segment_header& header = s.header();
  EXPECT_EQ(header.magic, segment_magic);
  EXPECT_EQ(header.layout_hash, 11u);
  EXPECT_EQ(header.build_id, 22u);
  EXPECT_EQ(header.total_bytes, small);
  EXPECT_EQ(header.owner, process_identity::current());
  EXPECT_EQ(header.uid, ::geteuid());
  EXPECT_STREQ(header.model_name, "logistic");
  EXPECT_STREQ(header.label, "a9a");
  struct stat file {};
  ASSERT_EQ(::stat(path_of(s.name()).c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_GE(file.st_blocks * 512, static_cast<blkcnt_t>(small));  // allocated, not only sized
}

TEST(segment, the_creator_removes_the_name_and_attached_ones_live_on) {
  auto creator = std::make_unique<segment>(segment::create(unique_segment_name(), small, identity));
  const std::string name = creator->name();
  segment attached = segment::attach(name, identity);
  creator.reset();
  EXPECT_FALSE(exists(name));
  attached.data()[small - 1] = std::byte{1};
  EXPECT_THAT(attaching(name), refuses_with<segment_error>("there is no segment named " + name, "hogwild segments"));
}

TEST(segment, who_attached_sees_by_its_lock_whether_the_creator_lives) {
  std::optional<segment> creator = segment::create(unique_segment_name(), small, identity);
  const segment attached = segment::attach(creator->name(), identity),
                other = segment::attach(creator->name(), identity);
  EXPECT_TRUE(creator->creator_lives());
  EXPECT_TRUE(attached.creator_lives());
  EXPECT_TRUE(other.creator_lives());
  creator.reset();
  EXPECT_FALSE(attached.creator_lives());
  EXPECT_FALSE(other.creator_lives());
}

TEST(segment, an_attacher_leaves_the_name_alone) {
  const segment creator = segment::create(unique_segment_name(), small, identity);
  {
    segment attached = segment::attach(creator.name(), identity);
    attached.unlink();
  }
  EXPECT_TRUE(exists(creator.name()));
}

TEST(segment, unlink_is_early_and_final) {
  segment first = segment::create(unique_segment_name(), small, identity);
  const std::string name = first.name();
  first.unlink();
  EXPECT_FALSE(exists(name));
  const segment second = segment::create(name, small, identity);
  first.unlink();
  EXPECT_TRUE(exists(name));
}

TEST(segment, a_moved_handle_keeps_the_duty) {
  std::string name;
  {
    segment first = segment::create(unique_segment_name(), small, identity);
    name = first.name();
    const segment second = std::move(first);
    EXPECT_TRUE(exists(name));
  }
  EXPECT_FALSE(exists(name));
}

TEST(segment, a_forked_child_does_not_remove_it) {
  auto creator = std::make_unique<segment>(segment::create(unique_segment_name(), small, identity));
  const pid_t child = ::fork();
  if (child == 0) {
    creator.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(exists(creator->name()));
}

TEST(segment, refuses_a_name_that_is_taken) {
  const segment s = segment::create(unique_segment_name(), small, identity);
  EXPECT_THAT(creating(s.name(), small), refuses_with<segment_error>(s.name() + " exists already"));
  EXPECT_TRUE(exists(s.name()));
}

TEST(segment, refuses_names_that_are_not_ours) {
  for (const std::string name : {"", "other", "/hogwild-x", "hogwild-a/b", "hogwild-../x"}) {
    EXPECT_THAT(creating(name, small), refuses_with<segment_error>("'" + name + "' cannot name a segment"));
    EXPECT_THAT(attaching(name), refuses_with<segment_error>("'" + name + "' cannot name a segment"));
  }
  EXPECT_THROW(segment::create("hogwild-" + std::string(300, 'x'), small, identity), segment_error);
}

TEST(segment, refuses_a_size_below_the_header) {
  EXPECT_THAT(creating(unique_segment_name(), 100), refuses_with<segment_error>("no room for its header"));
}

TEST(segment, too_large_is_refused_with_the_sizes) {
  struct statvfs fs {};
  ASSERT_EQ(::statvfs("/dev/shm", &fs), 0);
  if (fs.f_blocks == 0) GTEST_SKIP() << "/dev/shm has no limit here";
  const std::size_t bytes = (fs.f_blocks + 1000) * fs.f_frsize;
  const std::string name = unique_segment_name();
  EXPECT_THAT(creating(name, bytes), refuses_with<resource_error>(std::to_string(bytes), "free", "--shm-size="));
  EXPECT_FALSE(exists(name));
}

TEST(segment, a_small_shared_memory_is_refused_and_never_a_bus_error) {
  const auto status = spawn(this_program(), {"--small-shm"}).wait_for(60s);
  ASSERT_TRUE(status);
  if (status->code == not_allowed) GTEST_SKIP() << "only root may mount a /dev/shm of its own";
  EXPECT_TRUE(status->success()) << status->describe();
}

TEST(segment, attach_says_what_differs) {
  const segment s = segment::create(unique_segment_name(), small, identity);
  auto other = identity;
  other.model_name = "huber";
  EXPECT_THAT(attaching(s.name(), other), refuses_with<segment_error>("a run of the model logistic, not of huber"));
  other = identity;
  other.build_id = 0;
  EXPECT_THAT(attaching(s.name(), other), refuses_with<segment_error>("another build"));
  other = identity;
  other.layout_hash = 0;
  EXPECT_THAT(attaching(s.name(), other), refuses_with<segment_error>("another layout"));
  other = identity;
  other.label = "whatever";
  EXPECT_NO_THROW(attaching(s.name(), other)());
}

TEST(segment, attach_refuses_a_foreign_or_damaged_header) {
  const segment s = segment::create(unique_segment_name(), small, identity);
  patch(s.name(), offsetof(segment_header, abi_version), segment_abi_version + 1);
  EXPECT_THAT(attaching(s.name()),
              refuses_with<segment_error>("ABI version " + std::to_string(segment_abi_version + 1) +
                                          ", this program has " + std::to_string(segment_abi_version)));
  patch(s.name(), offsetof(segment_header, abi_version), segment_abi_version);
  patch(s.name(), offsetof(segment_header, total_bytes), std::uint64_t{small + 1});
  EXPECT_THAT(attaching(s.name()), refuses_with<segment_error>("it is damaged"));
  patch(s.name(), offsetof(segment_header, total_bytes), std::uint64_t{small});
  patch(s.name(), offsetof(segment_header, magic), std::uint64_t{1});
  EXPECT_THAT(attaching(s.name()), refuses_with<segment_error>("not a segment of this program"));
}

TEST(segment, attach_refuses_one_that_others_may_open) {
  const segment s = segment::create(unique_segment_name(), small, identity);
  ASSERT_EQ(::chmod(path_of(s.name()).c_str(), 0644), 0);
  EXPECT_THAT(attaching(s.name()), refuses_with<segment_error>("not 0600"));
}

TEST(segment, attach_refuses_another_users) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const segment s = segment::create(unique_segment_name(), small, identity);
  if (::chown(path_of(s.name()).c_str(), 12345, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "this root may not give files away";
  EXPECT_THAT(attaching(s.name()), refuses_with<segment_error>("belongs to user 12345"));
}

TEST(segment, attach_waits_for_one_that_is_being_made) {
  const segment s = segment::create(unique_segment_name(), small, identity);
  bool attached = false;
  // Attaching waits for a second, in which a busy machine may give the maker no CPU: then both try again.
  for (int tries = 0; tries < 20 && !attached; ++tries) {
    patch(s.name(), offsetof(segment_header, ready), std::uint32_t{0});
    const auto begin = std::chrono::steady_clock::now();
    const std::jthread maker([&, waits = ::gettid()] {
      test::comes_to('S', ::getpid(), waits);
      patch(s.name(), offsetof(segment_header, ready), std::uint32_t{1});
    });
    try {
      attaching(s.name())();
      attached = true;
    } catch (const segment_error& e) {
      ASSERT_GE(std::chrono::steady_clock::now() - begin, 1s) << e.what();
    }
  }
  EXPECT_TRUE(attached);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--small-shm") return in_small_shared_memory();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
