// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/platform/child_process.hpp>

#include "process_run.hpp"

// Parts that tests of interrupted exchanges share: processes that exchange again and again, one of which gets signals.

namespace hogwild::test {

inline constexpr std::string_view exchange_marker = "--exchange";

/// A clock that all processes share.
inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// The words of a slot, as these processes use them.
struct exchanging_slot {
  worker_slot& slot;

  std::atomic<std::uint64_t>& inside() const { return slot.held.value; }        ///< 1 in an exchange
  std::atomic<std::uint64_t>& answered() const { return slot.updates.value; }   ///< the last question
  std::atomic<std::uint64_t>& ended_at() const { return slot.nonzeros.value; }  ///< when the exchange after it was over
  void answer(std::uint32_t question) const {
    if (answered() == question) return;
    ended_at() = now_ns();
    answered() = question;
  }
};

/// A counter of questions: a process that sees a new one answers with the time at which its next exchange ends.
inline std::atomic<std::uint32_t>& question(const param_store& store) {
  return store.control().arrivals;
}

struct interruption {
  update_kind update;
  int signal;
};
inline std::string interruption_name(const testing::TestParamInfo<interruption>& tried) {
  const std::string update = tried.param.update == update_kind::exact ? "exact" : "lossy";
  return update + (tried.param.signal == SIGKILL ? "_killed" : "_stopped");
}
inline auto every_interruption() {
  return testing::Values(interruption{update_kind::lossy, SIGKILL}, interruption{update_kind::lossy, SIGSTOP},
                         interruption{update_kind::exact, SIGKILL}, interruption{update_kind::exact, SIGSTOP});
}

class interrupted_exchanges : public testing::TestWithParam<interruption> {
 protected:
  static constexpr std::size_t victim = 0, workers = 3, tries = 40;

  explicit interrupted_exchanges(param_store made) : store(std::move(made)) {
    store.open_for_workers();
    for (worker_slot& each : store.slots()) each.state = worker_state::active;
    for (std::size_t i = 0; i < workers; ++i) start(i);
  }
  virtual std::uint64_t exchanges(std::size_t slot) const = 0;  ///< that it has made
  /// Waits until the victim is in the middle of an exchange, and sends it the signal; returns when that was.
  virtual std::uint64_t strike() = 0;
  /// After the signal has had its effect: whether it hit the victim in the middle of the exchange.
  virtual bool was_inside() = 0;

  exchanging_slot slot(std::size_t i) const { return {store.slots()[i]}; }

  /// Interrupts the victim in the middle of as many exchanges: each time the others end one meanwhile.
  void expect_others_to_exchange() {
    for (std::size_t i = 0; i < workers; ++i) ASSERT_TRUE(exchanges_further(i));
    std::vector<double> milliseconds;
    for (std::size_t in_the_middle = 0, all = 0; in_the_middle < tries; ++all) {
      ASSERT_LT(all, 20 * tries) << "hardly a signal meets the victim inside of an exchange";
      const std::uint64_t struck = strike();
      const std::uint32_t asked = ++question(store);
      wait_for_effect();
      const bool counts = was_inside();
      in_the_middle += counts;
      for (std::size_t i = 0; i < workers; ++i) {
        if (i == victim) continue;
        ASSERT_TRUE(eventually(60s, [&] { return slot(i).answered() == asked; })) << "worker " << i;
        if (counts) milliseconds.push_back(static_cast<double>(slot(i).ended_at() - struck) * 1e-6);
      }
      bring_back();
    }
    std::ranges::sort(milliseconds);
    RecordProperty("median_ms", std::to_string(milliseconds[milliseconds.size() / 2]));
    RecordProperty("longest_ms", std::to_string(milliseconds.back()));
  }
  void let_all_leave() {
    store.control().stop = stop_request::leave;
    for (auto& process : processes) ASSERT_TRUE(process->wait_for(60s));
  }

  param_store store;
  std::optional<child_process> processes[workers];
  std::uint64_t deaths = 0;
  std::uint64_t torn_adds = 0;  ///< deaths outside of an exchange: perhaps in the middle of adding 1

 private:
  void start(std::size_t i) {
    const char* update = GetParam().update == update_kind::exact ? "exact" : "lossy";
    processes[i] = spawn(this_program(), {std::string(exchange_marker), store.name(), std::to_string(i), update});
  }
  bool exchanges_further(std::size_t i) const {
    const std::uint64_t before = exchanges(i);
    return eventually(60s, [&] { return exchanges(i) > before + 1; });
  }
  void wait_for_effect() {
    if (GetParam().signal == SIGKILL) {
      EXPECT_TRUE(processes[victim]->wait_for(60s));
    } else {
      siginfo_t info{};
      EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(processes[victim]->pid()), &info, WSTOPPED), 0);
    }
  }
  void bring_back() {
    if (GetParam().signal == SIGKILL) {
      torn_adds += slot(victim).inside() == 0;
      slot(victim).inside() = 0;
      ++deaths;
      start(victim);
    } else {
      processes[victim]->kill(SIGCONT);
    }
    ASSERT_TRUE(exchanges_further(victim));
  }
};

/// The role of these tests' programs: work(store, slot, update) for ever, or none. `kind` is that of the segment.
template <class Work>
std::optional<int> exchange_role(int argc, char** argv, std::string_view kind, const Work& work) {
  if (argc != 5 || argv[1] != exchange_marker) return {};
  const std::string_view number = argv[3];
  std::size_t slot = 0;
  std::from_chars(number.data(), number.data() + number.size(), slot);
  const param_store store = detail::attached_store::open(argv[2], kind);
  if (argv[4] == std::string_view("exact"))
    work(store, slot, update::exact{});
  else
    work(store, slot, update::lossy{});
  return 0;
}

}  // namespace hogwild::test
