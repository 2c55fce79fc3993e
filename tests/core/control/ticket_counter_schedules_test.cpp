// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/ticket_counter.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/every_schedule.hpp"
#include "support/model_atomics.hpp"

// Tickets, and the marks of those that are finished, under every schedule of workers, some of which sleep through the
// end of a round, and of a coordinator that opens the next one. See model_checker.hpp.

using namespace hogwild;
using test::model_atomics;
using test::model_checker;

namespace {

using sound_counter = basic_ticket_counter<model_atomics>;
using sound_mark = basic_done_mark<model_atomics>;

constexpr const char* dealt_once = "a ticket is dealt once a round";
constexpr const char* dealt_in_order = "tickets are dealt in their order, none is left out";
constexpr const char* own_round = "nobody draws from a round that it has not read, though it slept through a gate";
constexpr const char* never_falls = "a mark never falls";

template <class Counter, class Mark>
class ticket_schedules {
 public:
  /// The coordinator opens `rounds` rounds of two tickets, whether or not the workers have noticed.
  ticket_schedules(std::size_t workers, std::uint32_t rounds, bool store_buffers)
      : rounds_(rounds), checker_(world_, {.store_buffers = store_buffers}) {
    world_.counter.word.value = std::uint64_t{1} << 32;
    for (std::size_t w = 0; w < workers; ++w)
      checker_.add(false, [this](model_checker::memory& kept) { return work(kept[0]); });
    checker_.add(false, [this](model_checker::memory& kept) { return coordinate(kept[0]); });
    checker_.always([this](bool all_ended) {
      for (std::size_t t = 0; all_ended && t < tickets; ++t)
        checker_.require(world_.done[t].get() == world_.newest_mark[t], never_falls);
    });
  }
  model_checker& checker() { return checker_; }

 private:
  static constexpr std::size_t tickets = 2;
  struct shared {
    Counter counter{};
    std::array<Mark, tickets> done{};
    std::array<std::uint32_t, 4> dealt{};  ///< in each round: a bit for each ticket
    std::array<std::uint32_t, tickets> newest_mark{};
  };

  /// `round` is the one that the worker has read; it may be over by now.
  bool work(std::uint64_t& round) {
    if (round == 0) {
      round = 1;
      return true;
    }
    const auto number = static_cast<std::uint32_t>(round);
    const std::optional<std::size_t> ticket = world_.counter.draw(number, tickets);
    if (!ticket) return ++round <= rounds_;
    checker_.note([&] {
      std::uint32_t& dealt = world_.dealt[number];
      checker_.require(world_.counter.word.value >> 32 == number, own_round);
      checker_.require((dealt >> *ticket & 1) == 0, dealt_once);
      checker_.require(*ticket == 0 || (dealt >> (*ticket - 1) & 1) == 1, dealt_in_order);
      dealt |= 1u << *ticket;
    });
    Mark& mark = world_.done[*ticket];
    mark.raise_to(number);
    checker_.note([&] {
      std::uint32_t& newest = world_.newest_mark[*ticket];
      newest = std::max(newest, number);
    });
    return true;
  }
  bool coordinate(std::uint64_t& round) {
    if (++round == rounds_) return false;
    const auto next = static_cast<std::uint32_t>(round + 1);
    // A round that was asked to stop may end with undealt tickets.
    world_.counter.open(next, 0);
    return true;
  }

  std::uint32_t rounds_;
  shared world_{};
  model_checker checker_;
};

using tickets_under = test::under_every_schedule;

TEST_P(tickets_under, every_schedule_keep_their_sentences) {
  const auto holds = [&](std::size_t workers, std::uint32_t rounds) {
    expect_sound(ticket_schedules<sound_counter, sound_mark>(workers, rounds, GetParam()).checker());
  };
  holds(2, 3);
  holds(3, 2);
}

INSTANTIATE_TEST_SUITE_P(control, tickets_under, testing::Bool(), test::name_of_buffers);

// The checker finds the fault of each of these counters and marks.

template <class Counter, class Mark = sound_mark>
std::set<std::string> tickets_broken_by(bool store_buffers = false) {
  return ticket_schedules<Counter, Mark>(2, 2, store_buffers).checker().broken_sentences();
}

struct drawn_by_load_and_store : sound_counter {
  std::optional<std::size_t> draw(std::uint32_t round, std::size_t last) noexcept {
    const std::uint64_t seen = word.load();
    if ((seen >> 32) != round || static_cast<std::uint32_t>(seen) >= last) return std::nullopt;
    word.store(seen + 1);
    return static_cast<std::uint32_t>(seen);
  }
};
TEST(broken_counter, that_is_drawn_from_by_load_and_store_is_found) {
  EXPECT_EQ(tickets_broken_by<drawn_by_load_and_store>().count(dealt_once), 1u);
}

struct drawn_by_add : sound_counter {
  std::optional<std::size_t> draw(std::uint32_t round, std::size_t last) noexcept {
    const std::uint64_t seen = word.load();
    if ((seen >> 32) != round || static_cast<std::uint32_t>(seen) >= last) return std::nullopt;
    const std::uint64_t drawn = word.fetch_add(1);
    if (static_cast<std::uint32_t>(drawn) >= last) return std::nullopt;
    return static_cast<std::uint32_t>(drawn);
  }
};
TEST(broken_counter, that_is_drawn_from_by_an_add_after_a_look_is_found) {
  const std::set<std::string> broken = tickets_broken_by<drawn_by_add>();
  EXPECT_EQ(broken.count(own_round), 1u);
  EXPECT_EQ(broken.count(dealt_in_order), 1u);
}

struct without_round : sound_counter {
  std::optional<std::size_t> draw(std::uint32_t, std::size_t last) noexcept {
    std::uint64_t seen = word.load();
    while (static_cast<std::uint32_t>(seen) < last) {
      if (word.compare_exchange_weak(seen, seen + 1)) return static_cast<std::uint32_t>(seen);
    }
    return std::nullopt;
  }
};
TEST(broken_counter, that_does_not_look_at_the_round_is_found) {
  EXPECT_EQ(tickets_broken_by<without_round>().count(own_round), 1u);
}

struct marked_by_store : sound_mark {
  void raise_to(std::uint32_t number) noexcept { round.store(number, std::memory_order_relaxed); }
};
TEST(broken_mark, that_is_stored_whatever_it_holds_is_found) {
  EXPECT_EQ((tickets_broken_by<sound_counter, marked_by_store>()), std::set<std::string>{never_falls});
}

struct marked_after_a_look : sound_mark {
  void raise_to(std::uint32_t number) noexcept {
    if (round.load() < number) round.store(number, std::memory_order_relaxed);
  }
};
TEST(broken_mark, that_is_stored_after_a_look_is_found) {
  EXPECT_EQ((tickets_broken_by<sound_counter, marked_after_a_look>()), std::set<std::string>{never_falls});
  EXPECT_EQ((tickets_broken_by<sound_counter, marked_after_a_look>(true)), std::set<std::string>{never_falls});
}

}  // namespace
