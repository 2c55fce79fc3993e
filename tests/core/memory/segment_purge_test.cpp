// SPDX-License-Identifier: Apache-2.0
// Segments whose creator was killed, perhaps while making them, are purged. Other runs on this machine may create and
// purge at the same time.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/error.hpp>
#include <hogwild/segments.hpp>

#include "support/eventually.hpp"
#include "support/kept_segment.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

namespace {

const segment_identity identity{.layout_hash = 1, .build_id = 2, .model_name = "huber", .label = "purge test"};

std::string path_of(const std::string& name) {
  return "/dev/shm/" + name;
}
bool exists(const std::string& name) {
  return ::access(path_of(name).c_str(), F_OK) == 0;
}

int own(const std::string& name) {
  const segment mine = segment::create(name, segment_header_bytes, identity);
  return ::pause();
}

std::optional<segment_info> listed(const std::string& name) {
  const auto all = list_segments();
  const auto found = std::ranges::find(all, name, &segment_info::name);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

/// A child that owns a segment, once the segment is there.
child_process start_owner(const std::string& name) {
  child_process owner = spawn(this_program(), {"--own", name});
  EXPECT_TRUE(test::eventually(20s, [&] { return listed(name).has_value(); }));
  return owner;
}

/// A name as a process that is dead by now would have made it.
std::string name_of_the_dead(const std::string& end) {
  child_process brief = spawn(this_program(), {"--sleep"});
  const auto who = *process_identity::of(brief.pid());
  return "hogwild-" + std::to_string(who.pid) + "-" + std::to_string(who.start_time) + "-" + end;
}

void write_file(const std::string& name, const std::string& text) {
  const int fd = ::open(path_of(name).c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(fd);
}

TEST(segment_listing, tells_the_owner_size_age_and_model) {
  const segment s = segment::create(unique_segment_name(), segment_header_bytes + 5, identity);
  const auto info = listed(s.name());
  ASSERT_TRUE(info);
  EXPECT_EQ(info->bytes, segment_header_bytes + 5);
  EXPECT_EQ(info->owner, process_identity::current());
  EXPECT_TRUE(info->owner_alive);
  EXPECT_GE(info->age_seconds, 0.0);
  EXPECT_LT(info->age_seconds, 60.0);
  EXPECT_EQ(info->model_name, "huber");
  EXPECT_EQ(info->label, "purge test");
  EXPECT_EQ(info->uid, ::geteuid());
}

TEST(segment_listing, names_are_never_used_twice) {
  EXPECT_NE(unique_segment_name(), unique_segment_name());
}

TEST(segment_purge, leaves_what_a_living_process_owns) {
  const segment mine = segment::create(unique_segment_name(), segment_header_bytes, identity);
  const std::string name = unique_segment_name();
  child_process owner = start_owner(name);
  EXPECT_TRUE(listed(name)->owner_alive);
  EXPECT_THAT(purge_segments(), Not(Contains(name)));
  EXPECT_TRUE(exists(name) && exists(mine.name()));
  owner.kill(SIGKILL);
  owner.wait_for(20s);
  purge_segments();
}

TEST(segment_purge, removes_what_a_killed_process_left) {
  const std::string name = unique_segment_name();  // the name says that we made it; the header says the truth
  child_process owner = start_owner(name);
  owner.kill(SIGKILL);
  {
    const test::kept_segment kept(name);
    ASSERT_TRUE(owner.wait_for(20s));
    EXPECT_THAT(purge_segments(), Not(Contains(name))) << "somebody holds a lock";
    const auto info = listed(name);
    ASSERT_TRUE(info);
    EXPECT_FALSE(info->owner_alive);
    EXPECT_EQ(info->owner.pid, owner.pid());
  }
  purge_segments();
  EXPECT_FALSE(exists(name));
}

TEST(segment_purge, of_this_user_leaves_those_of_others) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to somebody else";
  const std::string dead = name_of_the_dead("b");
  segment_header header{};  // its owner is nobody
  header.magic = segment_magic;
  header.ready = 1;
  write_file(dead, {reinterpret_cast<const char*>(&header), sizeof header});
  if (::chown(path_of(dead).c_str(), 12345, 12345) != 0) {
    ::unlink(path_of(dead).c_str());
    GTEST_SKIP() << "this root may not give files away";
  }
  EXPECT_THAT(purge_segments(segments_of::this_user), Not(Contains(dead)));
  EXPECT_TRUE(exists(dead));
  EXPECT_THAT(purge_segments(), Contains(dead));
}

TEST(segment_purge, a_lock_outweighs_a_process_number) {
  // The view from another container: no process here has the owner's number.
  const segment s = segment::create(unique_segment_name(), segment_header_bytes, identity);
  const int fd = ::open(path_of(s.name()).c_str(), O_RDWR | O_CLOEXEC);
  const process_identity nobody{};
  ASSERT_EQ(::pwrite(fd, &nobody, sizeof nobody, offsetof(segment_header, owner)), ssize_t{sizeof nobody});
  ::close(fd);
  EXPECT_TRUE(listed(s.name())->owner_alive);
  EXPECT_THAT(purge_segments(), Not(Contains(s.name())));
  EXPECT_TRUE(exists(s.name()));
}

TEST(segment_purge, half_made_ones_are_not_waited_for_longer_than_a_second) {
  const std::string name = unique_segment_name();
  write_file(name, "");
  EXPECT_TRUE(test::ends_within(5s, [&] {
    EXPECT_THAT([&] { segment::attach(name, identity); },
                ThrowsMessage<segment_error>(HasSubstr("not ready after a second")));
  }));
  ::unlink(path_of(name).c_str());
}

TEST(segment_purge, half_made_ones_go_when_they_are_old_and_nobody_makes_them) {
  const std::string dead = name_of_the_dead("a"), living = unique_segment_name();
  const std::string unknown = "hogwild-test" + std::to_string(::getpid()), foreign = unknown + ".txt";
  write_file(living, "");
  write_file(foreign, "somebody's notes");
  const auto written = std::chrono::system_clock::now();
  write_file(dead, "");
  write_file(unknown, std::string(100, '\0'));
  EXPECT_FALSE(listed(dead));
  std::optional<std::chrono::system_clock::duration> age;  // when the first of both was gone
  EXPECT_TRUE(test::eventually(60s, [&] {
    purge_segments();  // or another run purges them
    if (!age && !(exists(dead) && exists(unknown))) age = std::chrono::system_clock::now() - written;
    return !exists(dead) && !exists(unknown);
  }));
  ASSERT_TRUE(age);
  EXPECT_GE(*age, 3s - 10ms);  // a file's time is that of the clock's last tick, up to 10 ms before
  purge_segments();            // those that stay are as old by now
  EXPECT_TRUE(exists(living) && exists(foreign));
  ::unlink(path_of(living).c_str());
  ::unlink(path_of(foreign).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "--own") return own(argv[2]);
  if (role == "--sleep") return ::pause();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
