// SPDX-License-Identifier: Apache-2.0
// Programs and models that cannot be trained with worker processes end soon, with a sentence.
#include <array>
#include <csignal>
#include <fstream>
#include <new>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/counting.hpp"
#include "support/planned_task.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Dies on rows with one label.
struct fatal : least_squares {
  static constexpr std::string_view name = "fatal";
  float derivative(float margin, float label) const {
    if (label == 777.0f) std::raise(SIGSEGV);
    return least_squares::derivative(margin, label);
  }
};

/// Squares times a number in memory of this process.
struct far_away : least_squares {
  static constexpr std::string_view name = "far_away";
  inline static bool at_work = false;  ///< set in worker processes
  const float* factor = nullptr;
  float derivative(float margin, float label) const {
    // In a worker nothing should be at that address, though by chance something might.
    const float* const here = at_work ? reinterpret_cast<const float*>(8) : factor;
    return *static_cast<const volatile float*>(here) * least_squares::derivative(margin, label);
  }
};

/// Emits for every column, and has parameters for some.
struct strays : test::counting_columns {
  static constexpr std::string_view name = "strays";
  std::array<parameter_group, 1> groups() const { return {{{.rows = columns, .hot_first = false}}}; }
};

enum class complaint { bad_row, no_memory, no_room, other };

/// Throws on rows with one label, in worker processes and elsewhere.
template <complaint What>
struct complaining : least_squares {
  static constexpr std::string_view name = What == complaint::bad_row     ? "complains_of_a_row"
                                           : What == complaint::no_memory ? "complains_of_memory"
                                           : What == complaint::no_room   ? "complains_of_room"
                                                                          : "complains_of_something";
  float derivative(float margin, float label) const {
    if (label != 777.0f) return least_squares::derivative(margin, label);
    if constexpr (What == complaint::bad_row) throw input_error("a label of 777 is beyond me");
    if constexpr (What == complaint::no_memory) throw std::bad_alloc();
    if constexpr (What == complaint::no_room) throw resource_error("no thread is available; raise the limit");
    throw std::range_error("what is 777?");
  }
};

/// Cannot be copied byte by byte.
struct talkative : logistic {
  std::string remark = "a text that is too long to lie inside of the string object itself";
};

train_options options() {
  return {.epochs = 3, .step = {.initial = 0.1, .decay = 1.0}};
}

auto training(const process_engine& engine) {
  return [engine] {
    const test::toy_rows rows = test::some_rows(200);
    train(logistic{}, rows.csr(), engine, options());
  };
}

/// A program that does not call worker_main: in a worker, train() refuses.
int forgetful() {
  try {
    training({.workers = 2})();
  } catch (const config_error&) {
    return static_cast<int>(exit_code::usage);
  }
  return 0;
}

TEST(failing_workers, a_forgotten_worker_main_ends_soon) {
  EXPECT_THAT(training({.workers = 2, .arguments = {"--forgetful"}}),
              ThrowsMessage<worker_error>(AllOf(HasSubstr("end before they join (the last one ended with code 2)"),
                                                HasSubstr("does main call hogwild::worker_main first"))));
  EXPECT_THAT(training({.workers = 4, .program = "/bin/true"}),
              ThrowsMessage<worker_error>(HasSubstr("the last one ended with code 0")));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, that_have_no_room_to_say_why_are_told_of_by_their_code) {
  const process_engine engine{.workers = 2, .program = "/bin/sh", .arguments = {"-c", "exit 4"}};
  EXPECT_THAT(training(engine),
              ThrowsMessage<worker_error>(AllOf(HasSubstr("the last one ended with code 4"), HasSubstr("ulimit -v"),
                                                HasSubstr("ulimit -n"), testing::Not(HasSubstr("worker_main")))));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, a_model_that_the_worker_does_not_have) {
  const test::toy_rows rows = test::some_rows(200);
  EXPECT_THAT(
      [&] { train(hinge_svm{}, rows.csr(), process_engine{.workers = 1}, options()); },
      ThrowsMessage<resource_error>(AllOf(HasSubstr("worker 0 (process "), HasSubstr("has failed, as others"),
                                          HasSubstr("trains the model hinge_svm, which this program does not"))));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, an_engine_that_the_worker_does_not_have) {
  const test::toy_rows rows = test::some_rows(200);
  const csr_rows data = rows.csr();
  const auto task = make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "toy"),
                              {.isa = choose_isa(isa::automatic)});
  const loop_plan plan = test::plan_of(*task, access_kind::alone, {});
  EXPECT_THAT(([&] { start(process_engine{.workers = 1}, *task, plan, {}, "carousel")->get_ready(); }),
              ThrowsMessage<resource_error>(HasSubstr("those of the engine 'carousel', which this program does not")));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, in_lockstep_without_being_ranks_and_ranks_that_are_not_in_lockstep) {
  const test::toy_rows rows = test::some_rows(200);
  const csr_rows data = rows.csr();
  const auto task = make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "toy"),
                              {.isa = choose_isa(isa::automatic)});
  const auto expect_refused = [&](access_kind sharing, std::string_view decorator) {
    const loop_plan plan = test::plan_of(*task, sharing, {.rows = 8, .workers = 1});
    EXPECT_THAT(([&] { start(process_engine{.workers = 1}, *task, plan, {}, decorator)->get_ready(); }),
                ThrowsMessage<resource_error>(HasSubstr("ranks of a synchronous run share in lockstep")));
  };
  expect_refused(access_kind::gathered, {});
  expect_refused(access_kind::averaged, {});
  expect_refused(access_kind::alone, lockstep_workers);
  EXPECT_TRUE(test::leftovers().empty());
}

/// Trains on one row that the model complains of.
template <complaint What>
auto complained_of(observer& seen) {
  return [&seen] {
    test::toy_rows rows = test::planted_regression({.rows = 300});
    rows.label[200] = 777.0f;
    train_options o = options();
    o.observers = {&seen};
    o.sharing = sharing_kind::direct;  // for replicas this process would train some rows itself, to time them
    train(complaining<What>{}, rows.csr(), process_engine{.workers = 2}, o);
  };
}

TEST(failing_workers, say_what_they_threw_by_an_error_of_the_same_kind) {
  const auto says = [](const std::string& text) {
    return AllOf(HasSubstr("worker "), HasSubstr("(process "), HasSubstr("has failed"), HasSubstr(text));
  };
  const auto told = [](const std::string& text) {
    return Contains(AllOf(HasSubstr(": " + text), HasSubstr("another one takes its place")));
  };
  test::witness row("complains_of_a_row"), memory("complains_of_memory"), room("complains_of_room"),
      other("complains_of_something");
  EXPECT_THAT(complained_of<complaint::bad_row>(row), ThrowsMessage<input_error>(says("a label of 777 is beyond me")));
  EXPECT_THAT(complained_of<complaint::no_memory>(memory), ThrowsMessage<resource_error>(says("not enough memory")));
  EXPECT_THAT(memory.notes(), told("there is not enough memory for this"));
  EXPECT_THAT(complained_of<complaint::no_room>(room),
              ThrowsMessage<resource_error>(says("no thread is available; raise the limit")));
  EXPECT_THAT(room.notes(), told("no thread is available; raise the limit"));
  EXPECT_THAT(complained_of<complaint::other>(other), ThrowsMessage<worker_error>(says("what is 777?")));
  EXPECT_THAT(other.notes(), told("what is 777?"));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, a_program_that_is_not_there) {
  EXPECT_THAT(training({.workers = 2, .program = "/no/such/program"}),
              ThrowsMessage<resource_error>(HasSubstr("/no/such/program")));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, more_of_them_than_there_can_be) {
  EXPECT_THAT(training({.workers = 100000}),
              ThrowsMessage<config_error>(HasSubstr("100000 workers are more than the 2000")));
}

TEST(failing_workers, a_chunk_that_takes_three_along_ends_the_run) {
  test::toy_rows rows = test::planted_regression({.rows = 300});
  rows.label[200] = 777.0f;
  test::witness seen(fatal::name);
  train_options o = options();
  o.observers = {&seen};
  o.sharing = sharing_kind::direct;  // for replicas this process would train some rows itself, to time them
  EXPECT_THAT([&] { train(fatal{}, rows.csr(), process_engine{.workers = 2}, o); },
              ThrowsMessage<worker_error>(AllOf(HasSubstr("ticket "), HasSubstr(" of epoch 1 has ended several worker"),
                                                HasSubstr("the model fails on one of its rows"))));
  EXPECT_GE(seen.notes().size(), 3u);
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, a_pointer_in_the_model_is_named_as_the_likely_cause) {
  const test::toy_rows rows = test::planted_regression({.rows = 300});
  train_options o = options();
  o.sharing = sharing_kind::direct;
  const float one = 1.0f;
  far_away m;
  m.factor = &one;
  EXPECT_THAT(
      [&] { train(m, rows.csr(), process_engine{.workers = 2}, o); },
      ThrowsMessage<worker_error>(AllOf(HasSubstr("signal"), HasSubstr("a pointer, reference or span inside"))));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, a_model_that_emits_beside_its_parameters) {
  const test::toy_rows rows = test::planted_regression({.rows = 300, .columns = 50});
  EXPECT_THAT([&] { train(strays{{.columns = 9}}, rows.csr(), process_engine{.workers = 2}, options()); },
              ThrowsMessage<config_error>(HasSubstr("the model strays emits parameter ")));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, a_model_that_is_more_than_its_bytes) {
  const test::toy_rows rows = test::some_rows(200);
  EXPECT_THAT([&] { train(talkative{}, rows.csr(), process_engine{.workers = 1}, options()); },
              ThrowsMessage<config_error>(HasSubstr("not trivially copyable")));
}

TEST(failing_workers, a_damaged_cache_is_named) {
  const test::scratch_folder folder;
  std::ofstream text(folder / "train.svm");
  for (int row = 0; row < 2000; ++row) {
    text << (row % 2) << " " << row % 7 + 1 << ":0.5 " << row % 5 + 8 << ":" << 0.25 + row % 3 << "\n";
  }
  text.close();
  const std::string cache = open_libsvm((folder / "train.svm").string()).shared_path();
  ASSERT_NE(cache.find(folder.path().string()), std::string::npos);
  const sparse_dataset data = open_libsvm((folder / "train.svm").string());
  ASSERT_TRUE(data.from_cache());
  // Flip bits where the values lie, under the mapping: as a disk would.
  const auto values = data.view().value16;
  const std::string content = test::read_text(cache);
  const std::string_view all(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  const std::size_t at = content.find(all);
  ASSERT_NE(at, std::string::npos);
  std::fstream file(cache, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at + values.size_bytes() / 2));
  file.write("\x55\x55\x55\x55", 4);
  file.close();
  try {
    train(logistic{}, data, process_engine{.workers = 2}, options());
    FAIL() << "trained on damaged rows";
  } catch (const cache_error& e) {
    EXPECT_EQ(e.path(), cache);
    EXPECT_THAT(e.what(), HasSubstr("delete it and open the source again"));
  }
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(failing_workers, another_cache_in_the_place_of_ours_is_not_read) {
  // Workers map the file that the supervisor has, not what its path leads to by the time they start.
  const test::scratch_folder folder;
  test::write_text(folder / "train.svm", "1 1:1 2:0.5\n-1 2:1\n1 1:0.5\n-1 2:2 3:1\n");
  const sparse_dataset data = open_libsvm((folder / "train.svm").string());
  test::write_text(folder / "other.svm", "1 1:1\n-1 2:1\n");
  std::filesystem::rename(open_libsvm((folder / "other.svm").string()).shared_path(), data.shared_path());
  const train_result serial = train(logistic{}, data, serial_engine{}, options());
  EXPECT_EQ(train(logistic{}, data, process_engine{.workers = 1}, options()).parameters, serial.parameters);
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role failing_workers_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  if (argc > 1 && std::string_view(argv[1]) == "--forgetful") return forgetful();
  far_away::at_work = worker_place(argc, argv).has_value();
  if (far_away::at_work) std::signal(SIGSEGV, SIG_DFL);  // sanitizers would end the process with a code
  return worker_main<logistic, fatal, far_away, complaining<complaint::bad_row>, complaining<complaint::no_memory>,
                     complaining<complaint::no_room>, complaining<complaint::other>>(argc, argv);
});
