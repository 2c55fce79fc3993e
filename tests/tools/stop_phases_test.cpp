// SPDX-License-Identifier: Apache-2.0
// The first signal ends a run soon, in whichever phase it is. The runs here would take minutes, and each of their
// measurements tens of seconds; the bound is generous for a slow machine.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/thread_activity.hpp>
#include <hogwild/error.hpp>
#include <hogwild/live_parameters.hpp>

#include "small_data.hpp"
#include "support/eventually.hpp"

namespace hogwild::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto soon = 10s;

class stop_phases : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    // All columns occur in few rows to train on; a net reads each row as wide as that.
    ASSERT_EQ(hogwild({"generate", wide(), "--rows 200 --columns 60000 --nonzeros 3000 --delta 0.1 --zipf 0.1"}).code,
              0);
    ASSERT_EQ(hogwild({"generate", many(), "--rows 40000 --columns 60000 --nonzeros 8 --seed 2"}).code, 0);
  }

  static std::string wide() { return *folder / "wide.svm"; }
  static std::string many() { return *folder / "many.svm"; }
  static std::string model() { return *folder / "model.bin"; }
  static std::string record() { return *folder / "run.jsonl"; }

  static command_words net_on(const std::string& data, const command_words& more) {
    std::filesystem::remove(model());
    std::filesystem::remove(record());
    return {"train",  data,    "--model mlp --hidden 128 --first-layer dense --workers 2 --epochs 1000 --json",
            "--save", model(), "--record",
            record(), more};
  }

  /// Asks a run to stop; returns how it has ended, soon.
  static outcome stopped(running_command& run) {
    run.signal(SIGINT);
    outcome o;
    EXPECT_TRUE(ends_within(soon, [&] { o = run.wait(); })) << o.err;
    EXPECT_EQ(o.code, 130) << o.err;
    return o;
  }
  static std::uint64_t cpu_ticks_of(pid_t process) {
    const auto own = process_activity::of(process, 0);
    std::uint64_t ticks = own ? own->cpu_ticks : 0;
    const std::string number = std::to_string(process);
    std::ifstream children("/proc/" + number + "/task/" + number + "/children");
    for (pid_t child = 0; children >> child;) ticks += cpu_ticks_of(child);
    return ticks;
  }
  /// Waits until a run and its workers have computed for another second, however long that takes.
  static void let_compute(const running_command& run) {
    const std::uint64_t ticks = cpu_ticks_of(run.pid()) + static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    EXPECT_TRUE(eventually(60s, [&] { return cpu_ticks_of(run.pid()) >= ticks; }));
  }
};

TEST_F(stop_phases, training_and_merging) {
  for (const char* const engine : {"threads", "processes --batch 256", "threads --sharing buffered",
                                   "all_reduce --step 0.01", "ring --replicas 2"}) {
    running_command run(net_on(many(), {"--engine", engine}));
    EXPECT_TRUE(eventually(60s, [] { return !read_file(record()).empty(); }));  // its workers begin
    let_compute(run);
    const outcome o = stopped(run);
    const auto told = nlohmann::json::parse(o.out);
    EXPECT_EQ(told["status"], "stopped") << o.out;
    EXPECT_EQ(told["epochs"], 0);
    EXPECT_TRUE(told["train_loss"].is_null()) << "no number from part of the rows";
    EXPECT_EQ(std::filesystem::exists(model()), told["examples"] > 0) << o.out << o.err;
    EXPECT_EQ(told.contains("saved"), std::filesystem::exists(model()));
  }
}

TEST_F(stop_phases, measuring) {
  const std::string segment = unique_segment_name();
  running_command run(net_on(wide(), {"--test", many(), "--segment", segment}));
  std::optional<live_parameters> live;
  EXPECT_TRUE(eventually(60s, [&] {
    try {
      if (!live) live.emplace(live_parameters::attach(segment));
    } catch (const segment_error&) {
      return false;  // it has not begun
    }
    return live->read() && live->age().rows_after == 200;  // all have been trained
  }));
  let_compute(run);
  const outcome o = stopped(run);
  const auto told = nlohmann::json::parse(o.out);
  EXPECT_EQ(told["status"], "stopped");
  EXPECT_EQ(told["epochs"], 0);
  EXPECT_GT(told["examples"], 0);
  EXPECT_EQ(hogwild({"inspect", model()}).code, 0);
  const auto lines = record_in(record());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines.back()["status"], "stopped");
  EXPECT_FALSE(lines.back().contains("train_loss"));
}

TEST_F(stop_phases, the_search_of_a_step) {
  const std::string classes = *folder / "classes.svm";
  std::string text;
  for (int r = 0; r < 20000; ++r) {
    text += std::to_string(r % 1000);
    for (int j = 0; j < 50; ++j) text += " " + std::to_string(1 + 20 * j + (r * (j + 1)) % 20) + ":1";
    text += "\n";
  }
  write_file(classes, text);
  running_command run(command_words{"train", classes, "--model softmax --workers 2 --save", model()});
  EXPECT_TRUE(eventually(60s, [&] { return std::filesystem::exists(classes + ".hogwild"); }));
  let_compute(run);
  std::filesystem::remove(model());
  const outcome o = stopped(run);
  EXPECT_THAT(o.err, HasSubstr("nothing is saved"));
  EXPECT_FALSE(std::filesystem::exists(model()));
}

TEST_F(stop_phases, reading_text) {
  // A writer that never comes to its end.
  const std::string text = *folder / "text";
  ASSERT_EQ(::mkfifo(text.c_str(), 0600), 0);
  const int held = ::open(text.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GT(::write(held, "1 1:1\n-1 2:1\n", 13), 0);
  running_command run(command_words{"train", text, "--save", *folder / "none.bin"});
  // It reads once it waits for signals; before that one would end it without a word.
  ASSERT_TRUE(eventually(60s, [&] {
    int unread = -1;
    return ::ioctl(held, FIONREAD, &unread) == 0 && unread == 0;
  }));
  const outcome o = stopped(run);
  EXPECT_THAT(o.err, HasSubstr("nothing is saved"));
  EXPECT_FALSE(std::filesystem::exists(*folder / "none.bin"));
  ::close(held);
}

// An unfinished cache belongs to no process any more.
TEST_F(stop_phases, writing_a_cache) {
  const scratch_folder place;
  const std::string data = place / "data.svm";
  ASSERT_EQ(hogwild({"generate", data, "--rows 60000"}).code, 0);
  running_command run(command_words{"train", data, "--epochs 100000000"});
  const auto files = [&] {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(place.path()))
      found.push_back(entry.path().filename());
    return found;
  };
  EXPECT_TRUE(eventually(60s, [&] { return files().size() > 1; }));
  stopped(run);
  for (const std::string& name : files()) EXPECT_TRUE(name == "data.svm" || name == "data.svm.hogwild") << name;
}

}  // namespace
}  // namespace hogwild::test
