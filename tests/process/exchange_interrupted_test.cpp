// SPDX-License-Identifier: Apache-2.0
// An exchange never waits for a worker and never dies with one: if a worker is killed or stopped in the middle of an
// exchange, the others go on exchanging.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/sharing/replica.hpp>

#include "engines/attached_store.hpp"
#include "process_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;  // the same in every process

constexpr std::size_t parameters = 1 << 16;  // an exchange of all takes tens of microseconds
constexpr std::string_view segment_kind = "exchanging", marker = "--exchange";
constexpr std::size_t victim = 0, workers = 3, tries = 100;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(clock::now().time_since_epoch().count());
}

// The words of a slot, as these processes use them.
std::atomic<std::uint64_t>& inside(worker_slot& slot) {
  return slot.held.value;
}  // 1 in an exchange
std::atomic<std::uint64_t>& finished(worker_slot& slot) {
  return slot.rows.value;
}  // exchanges
std::atomic<std::uint64_t>& answered(worker_slot& slot) {
  return slot.updates.value;
}  // the last question
std::atomic<std::uint64_t>& answer(worker_slot& slot) {
  return slot.nonzeros.value;
}  // when its exchange had ended

/// A counter of questions: a process that sees a new one answers with the time at which its next exchange ends.
std::atomic<std::uint32_t>& question(const param_store& store) {
  return store.control().arrivals;
}

/// The work of a process: it adds 1 to each parameter and exchanges all, again and again.
template <class Update>
void exchange_for_ever(const param_store& store, std::size_t slot) {
  worker_memory memory;
  replica<float> mine(store, slot, memory, {{.rows = parameters, .hot_first = false}}, static_cast<std::size_t>(-1),
                      parameters, Update::kind);
  race_probe probe(store.slots(), slot, false);
  worker_slot& me = store.slots()[slot];
  mine.begin_round({.exchange_rows = 1});
  while (!store.control().leaving()) {
    const std::uint32_t asked = question(store);
    for (float& w : mine.values(0)) w += 1.0f;
    inside(me) = 1;
    mine.exchange(mine.rows_to_exchange(), probe);
    inside(me) = 0;
    ++finished(me);
    if (answered(me) != asked) {
      answer(me) = now_ns();
      answered(me) = asked;
    }
    // The others train rows between two exchanges; the victim is to be met inside of one.
    if (slot != victim) std::this_thread::sleep_for(50us);
  }
}

int exchange_as_worker(const char* segment, std::string_view number, std::string_view update) {
  std::size_t slot = 0;
  std::from_chars(number.data(), number.data() + number.size(), slot);
  const param_store store = detail::attached_store::open(segment, segment_kind);
  if (update == "exact")
    exchange_for_ever<update::exact>(store, slot);
  else
    exchange_for_ever<update::lossy>(store, slot);
  return 0;
}

struct interruption {
  update_kind update;
  int signal;
};

struct exchange_interrupted : testing::TestWithParam<interruption> {
  exchange_interrupted() {
    store.open_for_workers();
    for (std::size_t i = 0; i < workers; ++i) start(i);
  }
  void start(std::size_t slot) {
    const char* update = GetParam().update == update_kind::exact ? "exact" : "lossy";
    processes[slot] = spawn(this_program(), {std::string(marker), store.name(), std::to_string(slot), update});
  }
  bool exchanges_further(std::size_t slot) {
    const std::uint64_t before = finished(store.slots()[slot]);
    return test::eventually(60s, [&] { return finished(store.slots()[slot]) > before + 1; });
  }

  /// Waits until the signal has had its effect; whether that was in the middle of an exchange.
  bool met_inside() {
    if (GetParam().signal == SIGKILL) {
      EXPECT_TRUE(processes[victim]->wait_for(60s));
    } else {
      siginfo_t info{};
      EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(processes[victim]->pid()), &info, WSTOPPED), 0);
    }
    return inside(store.slots()[victim]) == 1;
  }
  void bring_back() {
    worker_slot& slot = store.slots()[victim];
    if (GetParam().signal == SIGKILL) {
      inside(slot) = 0;
      ++deaths;
      start(victim);
    } else {
      processes[victim]->kill(SIGCONT);
    }
    ASSERT_TRUE(exchanges_further(victim));
  }

  param_store store = param_store::create(unique_segment_name(), {.parameters = parameters, .workers = workers},
                                          std::string(segment_kind));
  std::optional<child_process> processes[workers];
  std::uint64_t deaths = 0;
};

TEST_P(exchange_interrupted, leaves_the_others_exchanging) {
  for (std::size_t i = 0; i < workers; ++i) ASSERT_TRUE(exchanges_further(i));
  std::vector<double> milliseconds;
  for (std::size_t in_the_middle = 0, all = 0; in_the_middle < tries; ++all) {
    ASSERT_LT(all, 20 * tries) << "hardly a signal meets the victim inside of an exchange";
    while (inside(store.slots()[victim]) == 0) std::this_thread::yield();
    const std::uint64_t sent = now_ns();
    processes[victim]->kill(GetParam().signal);
    const std::uint32_t asked = ++question(store);
    const bool counts = met_inside();
    in_the_middle += counts;
    for (std::size_t i = 0; i < workers; ++i) {
      worker_slot& slot = store.slots()[i];
      if (i == victim) continue;
      ASSERT_TRUE(test::eventually(60s, [&] { return answered(slot) == asked; })) << "worker " << i;
      if (counts) milliseconds.push_back(static_cast<double>(answer(slot) - sent) * 1e-6);
    }
    bring_back();
  }
  std::ranges::sort(milliseconds);
  RecordProperty("median_ms", std::to_string(milliseconds[milliseconds.size() / 2]));
  RecordProperty("longest_ms", std::to_string(milliseconds.back()));

  // Every worker added 1 to each parameter in each exchange. A worker that died in one had sent a part of it.
  store.control().stop = stop_request::leave;
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < workers; ++i) {
    ASSERT_TRUE(processes[i]->wait_for(60s));
    sent += finished(store.slots()[i]);
  }
  for (const float w : store.parameters<float>()) {
    ASSERT_EQ(w, std::floor(w));
    ASSERT_LE(w, static_cast<float>(sent + deaths));
    if (GetParam().update == update_kind::exact) {
      ASSERT_GE(w, static_cast<float>(sent));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(every, exchange_interrupted,
                         testing::Values(interruption{update_kind::lossy, SIGKILL},
                                         interruption{update_kind::lossy, SIGSTOP},
                                         interruption{update_kind::exact, SIGKILL},
                                         interruption{update_kind::exact, SIGSTOP}),
                         [](const auto& tried) {
                           const std::string update = tried.param.update == update_kind::exact ? "exact" : "lossy";
                           return update + (tried.param.signal == SIGKILL ? "_killed" : "_stopped");
                         });

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role exchange_interrupted_role([](int argc, char** argv) -> std::optional<int> {
  if (argc == 5 && argv[1] == hogwild::marker) return hogwild::exchange_as_worker(argv[2], argv[3], argv[4]);
  return {};
});
