// SPDX-License-Identifier: Apache-2.0
// An exchange on the ring never waits for a worker and never dies with one: if a holder of the token is killed or
// stopped, the others go on exchanging.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/child_process.hpp>

#include "engines/attached_store.hpp"
#include "process_run.hpp"
#include "ring_hook.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;  // the same in every process

constexpr std::string_view segment_kind = "ringing", marker = "--ring";
constexpr std::size_t victim = 0, replicas = 3, tries = 100;
constexpr std::size_t block = 256;  // what an exchange moves between two looks at the token

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(clock::now().time_since_epoch().count());
}

// The words of a slot, as these processes use them.
std::atomic<std::uint64_t>& inside(worker_slot& slot) {
  return slot.held.value;
}  // 1 while it looks for the token or has it
std::atomic<std::uint64_t>& answered(worker_slot& slot) {
  return slot.updates.value;
}  // the last question
std::atomic<std::uint64_t>& answer(worker_slot& slot) {
  return slot.nonzeros.value;
}  // when its exchange had ended

/// A counter of questions: a process that sees a new one answers with the time at which its next exchange on the ring
/// ends.
std::atomic<std::uint32_t>& question(const param_store& store) {
  return store.control().arrivals;
}

/// The work of a process: it adds 1 to each parameter of its replica and looks for the token, again and again.
template <class Update>
void exchange_for_ever(const param_store& store, std::size_t slot) {
  const exchange_options ring{.workers = replicas, .replicas = replicas};
  const std::size_t n = store.shape().parameters;
  detail::ring_hook<float, Update> node(store, slot, ring, {{.rows = n, .hot_first = false}});
  const param_store mine = store.replica_view(slot);
  worker_slot& me = store.slots()[slot];
  while (!store.control().leaving()) {
    const std::uint32_t asked = question(store);
    const std::uint64_t before = me.ring_exchanges.get();
    for (float& w : mine.parameters<float>()) w += 1.0f;  // nobody else adds here
    me.rows.raise(1);
    inside(me) = 1;
    node.exchanged(0);
    inside(me) = 0;
    if (me.ring_exchanges.get() != before && answered(me) != asked) {
      answer(me) = now_ns();
      answered(me) = asked;
    }
    // Rows are trained between two exchanges, the victim's fewer: it is to be met inside of one.
    std::this_thread::sleep_for(slot == victim ? 100us : 200us);
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

struct ring_interrupted : testing::TestWithParam<interruption> {
  ring_interrupted() {
    store.open_for_workers();
    for (worker_slot& slot : store.slots()) slot.state = worker_state::active;
    for (std::size_t i = 0; i < replicas; ++i) start(i);
  }
  void start(std::size_t slot) {
    const char* update = GetParam().update == update_kind::exact ? "exact" : "lossy";
    processes[slot] = spawn(this_program(), {std::string(marker), store.name(), std::to_string(slot), update});
  }
  std::uint64_t exchanges(std::size_t slot) const { return store.slots()[slot].ring_exchanges.get(); }
  bool exchanges_further(std::size_t slot) const {
    const std::uint64_t before = exchanges(slot);
    return test::eventually(60s, [&] { return exchanges(slot) > before + 1; });
  }
  struct blow {
    std::uint64_t made, at_ns;
  };
  /// Waits until the victim has the token in hand, and sends the signal. How many exchanges it had made by then, and
  /// when that was.
  blow strike() {
    const ring_token& token = store.control().token;
    for (;; std::this_thread::yield()) {
      const auto seen = token.look();
      if (!ring_token::in_hand(seen) || ring_token::replica(seen) != victim) continue;
      const std::uint64_t made = exchanges(victim);
      if (!token.is_still(seen)) continue;
      const std::uint64_t now = now_ns();
      processes[victim]->kill(GetParam().signal);
      return {made, now};
    }
  }
  /// Waits until the signal has had its effect; whether that was in the middle of the exchange that was seen.
  bool met_inside(std::uint64_t made) {
    if (GetParam().signal == SIGKILL) {
      EXPECT_TRUE(processes[victim]->wait_for(60s));
    } else {
      siginfo_t info{};
      EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(processes[victim]->pid()), &info, WSTOPPED), 0);
    }
    return inside(store.slots()[victim]) == 1 && exchanges(victim) == made;
  }
  void bring_back() {
    if (GetParam().signal == SIGKILL) {
      torn_adds += inside(store.slots()[victim]) == 0;
      inside(store.slots()[victim]) = 0;
      ++deaths;
      start(victim);
    } else {
      processes[victim]->kill(SIGCONT);
    }
    ASSERT_TRUE(exchanges_further(victim));
  }

  // An exchange of all takes a fraction of a millisecond.
  const std::size_t parameters = GetParam().update == update_kind::exact ? 1 << 14 : 1 << 16;
  param_store store =
      param_store::create(unique_segment_name(), {.parameters = parameters, .workers = replicas, .ring = replicas},
                          std::string(segment_kind));
  std::optional<child_process> processes[replicas];
  std::uint64_t deaths = 0;
  std::uint64_t torn_adds = 0;  ///< deaths outside of an exchange: perhaps in the middle of adding 1
};

TEST_P(ring_interrupted, leaves_the_others_exchanging) {
  for (std::size_t i = 0; i < replicas; ++i) ASSERT_TRUE(exchanges_further(i));
  std::vector<double> milliseconds;
  for (std::size_t in_the_middle = 0, all = 0; in_the_middle < tries; ++all) {
    ASSERT_LT(all, 20 * tries) << "hardly a signal meets the victim with the token in hand";
    const auto [made, struck] = strike();
    const std::uint32_t asked = ++question(store);
    const bool counts = met_inside(made);
    in_the_middle += counts;
    for (std::size_t i = 0; i < replicas; ++i) {
      worker_slot& slot = store.slots()[i];
      if (i == victim) continue;
      ASSERT_TRUE(test::eventually(60s, [&] { return answered(slot) == asked; })) << "replica " << i;
      if (counts) milliseconds.push_back(static_cast<double>(answer(slot) - struck) * 1e-6);
    }
    bring_back();
  }
  std::ranges::sort(milliseconds);
  RecordProperty("median_ms", std::to_string(milliseconds[milliseconds.size() / 2]));
  RecordProperty("longest_ms", std::to_string(milliseconds.back()));

  // The common model and each replica's later gains add up to all adds.
  store.control().stop = stop_request::leave;
  std::uint64_t added = 0;
  for (std::size_t i = 0; i < replicas; ++i) {
    ASSERT_TRUE(processes[i]->wait_for(60s));
    added += store.slots()[i].rows.get();
  }
  std::uint64_t columns_above = 0;
  double most_above = 0;
  for (std::size_t j = 0; j < parameters; ++j) {
    float sum = store.parameters<float>()[j];
    for (std::size_t v = 0; v < replicas; ++v)
      sum += store.replica_view(v).parameters<float>()[j] - store.replica_view(v).beside<float>(0)[j];
    ASSERT_EQ(sum, std::floor(sum));
    if (GetParam().update == update_kind::exact) {
      ASSERT_GE(sum, static_cast<float>(added)) << "parameter " << j;
    }
    columns_above += sum > static_cast<float>(added + torn_adds);
    most_above = std::max(most_above, static_cast<double>(sum) - static_cast<double>(added));
  }
  // A process that dies with the token leaves a block of the exchange half done: its replica will send the gains that
  // it took over there to the others once more.
  RecordProperty("parameters_above", std::to_string(columns_above));
  RecordProperty("most_above", std::to_string(most_above));
  RecordProperty("deaths", std::to_string(deaths));
  RecordProperty("added", std::to_string(added));
  EXPECT_LE(columns_above, block * deaths);
}

INSTANTIATE_TEST_SUITE_P(every, ring_interrupted,
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

const hogwild::test::program_role ring_interrupted_role([](int argc, char** argv) -> std::optional<int> {
  if (argc == 5 && argv[1] == hogwild::marker) return hogwild::exchange_as_worker(argv[2], argv[3], argv[4]);
  return {};
});
