// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/cleanup.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/process_watch.hpp>

#include "support/scratch_folder.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

/// The result of `body` in a process of its own that ends at once.
int in_another_process(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) std::_Exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Ends like a program that a signal ends; no destructor runs.
int end_at_once(const std::function<int()>& code) {
  run_cleanup_handlers();
  std::_Exit(code());
}

TEST(cleanup, calls_what_is_registered_the_oldest_first) {
  EXPECT_EQ(in_another_process([] {
              int said = 0;
              const auto says = [&](int digit) {
                return cleanup_handler([&said, digit] { said = 10 * said + digit; });
              };
              const cleanup_handler one = says(1), none;
              cleanup_handler two = says(2), three = says(3);
              auto four = std::make_unique<cleanup_handler>(says(4));
              two = std::move(three);  // 2 is dropped
              four.reset();
              return end_at_once([&] { return said; });
            }),
            13);
}

TEST(cleanup, of_a_forked_process_is_its_own_alone) {
  bool called = false;
  const cleanup_handler ours([&called] { called = true; });
  EXPECT_EQ(in_another_process([&] { return end_at_once([&] { return called ? 1 : 0; }); }), 0);
}

TEST(cleanup, of_what_could_not_be_made_is_not_called) {
  EXPECT_EQ(in_another_process([] {
              int said = 0;
              cleanup_handler none;
              try {
                none = cleanup_handler::of_what([] { throw 1; }, [&said] { said = 1; });
              } catch (int) {
              }
              const cleanup_handler one = cleanup_handler::of_what([&said] { said = 2; }, [&said] { said *= 10; });
              return end_at_once([&] { return said; });
            }),
            20);
}

// The process ends at any moment while the segment is being made.
TEST(cleanup, leaves_no_segment_that_is_being_made) {
  using clock = std::chrono::steady_clock;
  for (int k = 0; k < 400; ++k) {
    const std::string name = unique_segment_name();
    EXPECT_EQ(in_another_process([&] {
                std::atomic<bool> begun = false;
                const std::jthread ender([&] {
                  begun.wait(false);
                  for (const auto until = clock::now() + k * 250ns; clock::now() < until;) {
                  }
                  end_at_once([] { return 0; });
                });
                begun = true;
                begun.notify_one();
                const segment shared = segment::create(name, segment_header_bytes, {.model_name = "huber"});
                return ::pause();
              }),
              0);
    const std::string path = "/dev/shm/" + name;
    EXPECT_NE(::access(path.c_str(), F_OK), 0) << k;
    ::unlink(path.c_str());
  }
}

TEST(cleanup, leaves_no_file_no_segment_and_no_child) {
  const test::scratch_folder folder;
  const std::string name = unique_segment_name(), target = folder / "model";
  folder.write("model", "old");
  int to_test[2];
  ASSERT_EQ(::pipe(to_test), 0);
  EXPECT_EQ(in_another_process([&] {
              atomic_file file(target), committed(folder / "done");
              committed.commit();
              const segment shared = segment::create(name, segment_header_bytes, {.model_name = "huber"});
              const child_process child = spawn("/bin/sleep", {"60"});
              const pid_t pid = child.pid();
              if (::write(to_test[1], &pid, sizeof pid) != ssize_t{sizeof pid}) return 1;
              return end_at_once([] { return 0; });
            }),
            0);
  pid_t child = 0;
  ASSERT_EQ(::read(to_test[0], &child, sizeof child), ssize_t{sizeof child});
  const auto who = process_identity::of(child);
  EXPECT_TRUE(!who || process_watch(*who).wait_for(20s));
  EXPECT_FALSE(std::filesystem::exists("/dev/shm/" + name));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 2u);
  EXPECT_TRUE(std::filesystem::exists(target) && std::filesystem::exists(folder / "done"));
}

TEST(cleanup, drops_with_the_segment_what_would_remove_a_strangers) {
  EXPECT_EQ(
      in_another_process([] {
        const std::string name = unique_segment_name();
        segment first = segment::create(name, segment_header_bytes, {.model_name = "huber"});
        first.unlink();
        const bool theirs =
            in_another_process([&] {
              // Left behind as by a killed process.
              static_cast<void>(new segment(segment::create(name, segment_header_bytes, {.model_name = "huber"})));
              return 0;
            }) == 0;
        run_cleanup_handlers();
        const std::string path = "/dev/shm/" + name;
        const bool stands = std::filesystem::exists(path);
        ::unlink(path.c_str());
        return theirs && stands ? 0 : 1;
      }),
      0);
}

}  // namespace
