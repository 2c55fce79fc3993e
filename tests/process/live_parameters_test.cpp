// SPDX-License-Identifier: Apache-2.0
// Parameters of a run are read from outside while it trains, after its end, and after it was killed.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/memory/segment_layout.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/live_parameters.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/trained_model.hpp>

#include "process_run.hpp"
#include "support/eventually.hpp"
#include "support/kept_segment.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr const char* run_marker = "--live-run";
constexpr const char* reader_marker = "--live-reader";
/// l2 that shrinks w within an epoch to a small part, so that a matters, and is multiplied into v several times.
constexpr double strong_l2 = 0.05;

const test::toy_rows& live_rows() {
  static const test::toy_rows rows = test::planted_classification({.rows = 4'000, .columns = 30});
  return rows;
}

/// Enough columns that reading them, and folding the scale into them, take a while.
const test::toy_rows& wide_rows() {
  static const test::toy_rows rows = test::planted_classification({.rows = 4'000, .columns = 20'000});
  return rows;
}

train_options live_options(std::vector<observer_handle> observers, std::size_t epochs = 1'000'000) {
  return {.epochs = epochs,
          .step = {.initial = 0.01, .kind = schedule_kind::constant},
          .l2 = strong_l2,
          .sharing = sharing_kind::direct,
          .observers = std::move(observers)};
}

thread_engine threads_in(const std::string& segment) {
  return {.workers = 2, .team = thread_team_kind::std, .pin = false, .segment = segment};
}
process_engine processes_in(const std::string& segment) {
  return {.workers = 2, .pin = false, .segment = segment};
}

std::string fresh_name() {
  return unique_segment_name();
}

/// A process of this program that trains for ever.
struct endless_run {
  endless_run(const std::string& engine, const std::string& name)
      : name(name), process(spawn(this_program(), {run_marker, engine, name})) {}
  live_parameters attach() const {
    std::optional<live_parameters> found;
    test::eventually(60s, [&] {
      try {
        found.emplace(live_parameters::attach(name));
      } catch (const segment_error&) {
        return false;
      }
      return true;
    });
    if (!found) throw segment_error("the run has not begun");
    return std::move(*found);
  }
  /// Ends the run by SIGKILL, which leaves its segment; runs of other tests do not purge it.
  void end() {
    process.kill(SIGKILL);
    if (!kept) kept.emplace(name);
    process.wait_for(60s);
  }
  ~endless_run() {
    end();
    ::shm_unlink(("/" + name).c_str());
  }
  endless_run(const endless_run&) = delete;
  endless_run& operator=(const endless_run&) = delete;

  std::string name;
  child_process process;
  std::optional<test::kept_segment> kept{};  ///< once it is killed
};

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double most = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(static_cast<double>(a[j] - b[j])));
  return most;
}

// Both engines in this process: between rounds a reader gets the parameters of the report, to the last bit or so.
template <class Engine>
void expect_read_as_reported(const Engine& engine, const train_options& asked) {
  const std::string name = engine.segment;
  std::optional<live_parameters> live;
  std::size_t compared = 0;
  train_options options = asked;
  options.observers = {[&](const round_report& r) {
    if (!live) live.emplace(live_parameters::attach(name));
    ASSERT_TRUE(live->read());
    const std::vector<float> reported = r.parameters();
    ASSERT_EQ(live->values().size(), reported.size());
    EXPECT_LE(largest_difference(live->values(), reported), 1e-6);
    EXPECT_EQ(live->age().epoch, r.epoch);
    EXPECT_EQ(live->age().rows_before, live->age().rows_after);
    EXPECT_EQ(live->state(), run_state::training);
    ++compared;
  }};
  const csr_rows rows = live_rows().csr();
  const train_result run = train(test::slow_logistic{}, rows, engine, options);
  EXPECT_GE(compared, options.epochs * *options.rounds);  // more where an epoch was trained again
  // An ended run can still be read: the last parameters are there.
  EXPECT_EQ(live->state(), run_state::ended);
  EXPECT_TRUE(live->read());
  EXPECT_LE(largest_difference(live->values(), run.parameters), 1e-6);
  EXPECT_THROW(live_parameters::attach(name), segment_error);
}

TEST(live_parameters, of_threads_are_those_of_a_report) {
  train_options options = live_options({}, 3);
  options.rounds = 4;
  expect_read_as_reported(threads_in(fresh_name()), options);
  options.average = 1.0;
  expect_read_as_reported(threads_in(fresh_name()), options);
}

TEST(live_parameters, of_processes_are_those_of_a_report) {
  train_options options = live_options({}, 2);
  options.rounds = 2;
  expect_read_as_reported(processes_in(fresh_name()), options);
}

TEST(live_parameters, are_in_the_order_of_the_input_and_make_the_file_that_the_run_would_have_saved) {
  const test::scratch_folder folder;
  const std::string text = folder.write("rows.svm", "1 7:1 10:1 30:1\n-1 10:-1 30:2\n1 30:1\n-1 10:1 30:-2\n");
  const sparse_dataset data = open_libsvm(text, {.cache = open_options::cache_use::none});
  const huber m{.delta = 0.5f};
  std::optional<live_parameters> live;
  train_options options = live_options({}, 2);
  options.bias = true;
  const std::string name = fresh_name();
  options.observers = {[&](const epoch_report& e) {
    live.emplace(live_parameters::attach(name));
    EXPECT_THAT(live->values(), ElementsAreArray(e.parameters()));
  }};
  const train_result run = train(m, data, threads_in(name), options);
  ASSERT_TRUE(live->read());
  EXPECT_THAT(live->columns(), testing::ElementsAre(7, 10, 30));
  EXPECT_EQ(live->model_name(), "huber");
  save(folder / "saved", run, data, m);
  EXPECT_EQ(live->model(), load_model(folder / "saved"));
}

TEST(live_parameters, of_models_whose_files_hold_more_have_values_alone) {
  const test::toy_rows classes = test::planted_classes({.rows = 300, .columns = 20}, 3);
  const csr_rows rows = classes.csr();
  std::size_t values = 0;
  const std::string name = fresh_name();
  train(softmax{.features = 20, .classes = 3}, rows, threads_in(name),
        {.epochs = 1, .step = {.initial = 0.1}, .observers = {[&](const epoch_report&) {
                                                  const auto live = live_parameters::attach(name);
                                                  values = live.values().size();
                                                  EXPECT_THROW(live.model(), config_error);
                                                }}});
  EXPECT_EQ(values, 60u);
}

double absolute_sum(std::span<const float> w) {
  double sum = 0.0;
  for (const float x : w) sum += std::abs(static_cast<double>(x));
  return sum;
}

// A stationary run: a weight is what its column's few rows add, and shrinks until they come again. So the sum of their
// sizes over 20,000 columns is about the same at every moment, to some hundredths. Whenever they are read, the reported
// a goes with the v: where a is multiplied into v, another one would be wrong by a factor of 1e4 and more.
TEST(live_parameters, read_while_workers_train_go_with_their_scale) {
  const csr_rows rows = wide_rows().csr();
  const double settled = absolute_sum(train(logistic{}, rows, serial_engine{}, live_options({}, 20)).parameters);
  for (const std::string engine : {"threads", "processes"}) {
    endless_run runs(engine, fresh_name());
    live_parameters live = runs.attach();
    test::eventually(60s, [&] { return live.read() && live.age().epoch > 20; });
    const std::size_t first = live.age().epoch;
    double least = settled, most = settled;
    // Without a pause, so that about each time when a is multiplied into v meets a reader.
    for (const auto end = std::chrono::steady_clock::now() + 60s;
         live.age().epoch < first + 1'000 && std::chrono::steady_clock::now() < end;) {
      if (!live.read()) continue;
      EXPECT_LE(live.age().rows_before, live.age().rows_after);
      least = std::min(least, absolute_sum(live.values()));
      most = std::max(most, absolute_sum(live.values()));
    }
    EXPECT_GE(live.age().epoch, first + 1'000) << engine;
    EXPECT_GT(least, 0.7 * settled) << engine;
    EXPECT_LT(most, 1.3 * settled) << engine;
    EXPECT_GT(most, least) << engine;
  }
}

TEST(live_parameters, outlive_a_run_that_is_killed) {
  for (const std::string engine : {"threads", "processes"}) {
    endless_run runs(engine, fresh_name());
    live_parameters live = runs.attach();
    EXPECT_EQ(live.state(), run_state::training);
    runs.end();
    EXPECT_TRUE(test::eventually(60s, [&] { return live.state() == run_state::killed; })) << engine;
    const std::vector<float> kept(live.values().begin(), live.values().end());
    EXPECT_EQ(kept.size(), 20'000u);
    live.read();  // or not, where it died while it multiplied a into v
    EXPECT_EQ(live.values().size(), kept.size());
    for (const float w : live.values()) EXPECT_TRUE(std::isfinite(w));
    // A late reader finds the last parameters, and that the run was killed.
    EXPECT_EQ(live_parameters::attach(runs.name).state(), run_state::killed);
  }
}

// Readers die at any instant, in the middle of what they do, and the run goes on.
TEST(live_parameters, do_not_mind_readers_that_are_killed) {
  endless_run runs("threads", fresh_name());
  live_parameters live = runs.attach();
  const std::uint64_t rows = live.age().rows_after;
  std::mt19937 random(3);
  for (int k = 0; k < 20; ++k) {
    child_process reader = spawn(this_program(), {reader_marker, runs.name});
    // Half of them surely die while they read.
    const auto reads = [maps = "/proc/" + std::to_string(reader.pid()) + "/maps", &runs] {
      return test::read_text(maps).find(runs.name) != std::string::npos;
    };
    EXPECT_TRUE(k % 2 == 0 || test::eventually(60s, reads));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    reader.kill(SIGKILL);
    reader.wait_for(60s);
  }
  EXPECT_TRUE(test::eventually(60s, [&] { return live.read() && live.age().rows_after > rows; }));
  EXPECT_EQ(live.state(), run_state::training);
  EXPECT_FALSE(runs.process.poll_exit());
  runs.end();
}

std::string refusal_of(const std::string& name) {
  try {
    live_parameters::attach(name);
  } catch (const segment_error& refused) {
    return refused.what();
  }
  return "attached";
}

TEST(live_parameters, are_refused_with_a_sentence) {
  EXPECT_THAT(refusal_of("shm"), HasSubstr("cannot name a segment"));
  EXPECT_THAT(refusal_of("hogwild-nobody"), HasSubstr("there is no segment named"));
  const segment other = segment::create(fresh_name(), 1 << 16, {.layout_hash = 5, .model_name = "m"});
  EXPECT_THAT(refusal_of(other.name()), HasSubstr("has another layout"));
  const segment bare = segment::create(fresh_name(), 1 << 16, {.layout_hash = layout_hash(), .model_name = "m"});
  EXPECT_THAT(refusal_of(bare.name()), HasSubstr("no parameters to read from outside"));
  const std::string file = "/dev/shm/" + bare.name();
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  EXPECT_THAT(refusal_of(bare.name()), HasSubstr("is open to other users"));
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(file.c_str(), 12345, static_cast<gid_t>(-1)), 0);
    EXPECT_THAT(refusal_of(bare.name()), HasSubstr("belongs to user 12345"));
  }
  const param_store early =
      param_store::create(fresh_name(), {.parameters = 3, .live_bytes = sizeof(live_board) + 100}, "m");
  EXPECT_THAT(refusal_of(early.name()), HasSubstr("not ready after a second"));
  early.live()->state = live_board::stage::training;
  EXPECT_THAT(refusal_of(early.name()), HasSubstr("segment " + early.name()));  // the description is empty
}

TEST(a_named_segment, is_refused_where_its_name_is_taken_or_bad) {
  const csr_rows rows = live_rows().csr();
  const segment taken = segment::create(fresh_name(), 1 << 16, {});
  const train_options options{.epochs = 1, .step = {.initial = 0.1}};
  EXPECT_THROW(train(logistic{}, rows, threads_in(taken.name()), options), segment_error);
  EXPECT_THROW(train(logistic{}, rows, processes_in("mine"), options), segment_error);
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role live_parameters_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  if (argc > 3 && argv[1] == std::string(run_marker)) {
    const csr_rows rows = wide_rows().csr();
    if (argv[2] == std::string("threads"))
      train(logistic{}, rows, threads_in(argv[3]), live_options({}));
    else
      train(logistic{}, rows, processes_in(argv[3]), live_options({}));
    return 0;
  }
  if (argc > 2 && argv[1] == std::string(reader_marker)) {
    for (;;) {
      live_parameters live = live_parameters::attach(argv[2]);
      for (int k = 0; k < 100; ++k) live.read();
    }
  }
  return worker_main<logistic, test::slow_logistic>(argc, argv);
});
