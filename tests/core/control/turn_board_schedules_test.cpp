// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/turn_board.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/every_schedule.hpp"
#include "support/model_atomics.hpp"

// A board under every schedule of its workers, one of which may die and one be left out at any moment, and of the
// coordinator that opens rounds and breaks them off; see model_checker.hpp.

using namespace hogwild;
using test::model_atomics;
using test::model_checker;
using test::schedule_options;

namespace {

using sound_board = basic_turn_board<model_atomics>;

constexpr const char* one_claims = "an item is claimed by one worker";
constexpr const char* all_finished = "a phase begins when all items of the one before are finished";
constexpr const char* finished_is_seen =
    "what was written before finish() is seen by whoever claims an item of the next phase";
constexpr const char* complete_is_all =
    "a round is complete when all its phases are, and not where it was broken off before";
constexpr const char* takes_nothing = "who was left out of a round that is complete takes nothing of a later one";
constexpr const char* board_wakes = "no wake-up is lost: timeouts are for the dead";

struct board_run {
  std::size_t workers;
  std::size_t items = 2;  ///< of a phase
  std::uint64_t rounds = 1;
  std::array<std::uint32_t, 2> turns = {1, 1};  ///< of each round: two phases a turn
  std::uint64_t left_out = 0;                   ///< how many workers at most, in the first round
};

/// Workers and coordinators that take all precautions.
struct careful {
  static constexpr bool waits_for_holders = true, looks_whether_it_counts = true;
};

template <class Board, class Care = careful>
class board_schedules {
 public:
  board_schedules(const board_run& run, const schedule_options& options) : run_(run), checker_(world_, options) {
    for (std::size_t w = 0; w < run.workers; ++w)
      checker_.add(true, [this, w](model_checker::memory& kept) { return work(w, kept); });
    checker_.add(false, [this](model_checker::memory& kept) { return coordinate(kept); });
  }
  model_checker& checker() { return checker_; }

 private:
  static constexpr std::size_t most_items = 2;
  struct shared {
    Board board{};
    std::array<published<std::uint64_t, model_atomics>, 3> waits{};
    std::array<model_atomics::atomic<std::uint32_t>, 3> left_out{};
    std::array<model_atomics::atomic<std::uint32_t>, most_items>
        data{};  ///< of each item: the phase that finished it last
    model_atomics::atomic<std::uint32_t> gate{};
    std::uint32_t round = 0, first = 0;  ///< of the round that was opened last
    bool open = false, over = false;
    std::array<bool, 3> expected{}, inside{};
    std::array<std::uint8_t, 16> claimed{}, finished{};  ///< by phase: a bit for each item
  };

  int all() const { return (1 << run_.items) - 1; }

  /// One look at the board, as turn_source::draw() does it.
  bool work(std::size_t w, model_checker::memory& kept) {
    std::uint64_t &round = kept[0], &first = kept[1], &inside = kept[2], &in_hand = kept[3];
    Board& board = world_.board;
    if (inside == 0) {
      // Once it counts and finds the gate open, the coordinator waits for it; see epoch_gate.hpp.
      checker_.await([&] { return (world_.open && world_.round > round) || world_.over; });
      world_.left_out[w].store(0);
      inside = checker_.ask([&] { return world_.expected[w] = world_.inside[w] = world_.open; });
      if (inside == 1) round = checker_.ask([&] { return world_.round; });
      first = checker_.ask([&] { return world_.first; });
      return checker_.ask([&] { return !world_.over; }) == 1;
    }
    if (in_hand > 0) return finish(in_hand);
    const std::uint32_t phase = board.current();
    const auto leave = [&] {
      world_.gate.fetch_or(0);  // it arrives
      checker_.note([&] { world_.inside[w] = world_.expected[w] = false; });
      inside = 0;
      return true;
    };
    if ((phase & Board::broken) != 0) return leave();
    if (Care::looks_whether_it_counts && world_.left_out[w].load(std::memory_order_relaxed) != 0) return leave();
    if (((phase - first) & Board::phases) / 2 >= board.turns_of_round()) return leave();
    const auto item = board.claim(phase, run_.items, w % run_.items);
    if (!item) {
      board.wait(phase, world_.waits[w]);
      return true;
    }
    const auto bit = static_cast<std::uint8_t>(1u << *item);
    checker_.note([&] {
      checker_.require((world_.claimed[phase] & bit) == 0, one_claims);
      checker_.require(world_.round == round && phase - first < 2 * run_.turns[round - 1], takes_nothing);
      checker_.require(phase == first || world_.finished[phase - 1] == all(), all_finished);
      for (std::size_t i = 0; i < run_.items; ++i)
        checker_.require(phase == first || world_.data[i].value >= phase - 1, finished_is_seen);
      world_.claimed[phase] |= bit;
    });
    in_hand = phase << 8 | bit;
    return true;
  }
  bool finish(std::uint64_t& in_hand) {
    const auto phase = static_cast<std::uint32_t>(in_hand >> 8);
    const auto bit = static_cast<std::uint8_t>(in_hand);
    if (bit == 0) {
      world_.board.advance(phase, phase + 1);
      in_hand = 0;
      return true;
    }
    world_.data[bit / 2].store(phase, std::memory_order_relaxed);
    checker_.note([&] { world_.finished[phase] |= bit; });
    in_hand = world_.board.finish(run_.items) ? std::uint64_t{phase} << 8 : 0;
    return true;
  }

  /// Does what round_driver::run_in_turns() and worker_pool do.
  bool coordinate(model_checker::memory& kept) {
    std::uint64_t &round = kept[0], &first = kept[1], &left_out = kept[2], &step = kept[3];
    Board& board = world_.board;
    if (step == 0 && round == run_.rounds) return board.break_off(), checker_.note([&] { world_.over = true; }), false;
    if (step == 0) {
      first = board.open(static_cast<std::uint32_t>(run_.turns[round]));
      world_.gate.fetch_add(1);
      checker_.note([&] {
        ++world_.round;
        world_.open = true;
        world_.first = static_cast<std::uint32_t>(first);
        for (std::size_t w = 0; w < run_.workers; ++w) world_.expected[w] = !checker_.is_dead(w);
      });
      step = 1, ++round;
      return true;
    }
    const auto any = [this](const auto& what) {
      for (std::size_t w = 0; w < run_.workers; ++w)
        if (what(w)) return w + 1;
      return std::size_t{0};
    };
    const auto expected = [&] { return any([&](std::size_t w) { return world_.expected[w]; }); };
    const auto dead = [&] { return any([&](std::size_t w) { return world_.expected[w] && checker_.is_dead(w); }); };
    if (step == 1) {
      if (round == 1 && left_out < run_.left_out && checker_.choose(2) == 1) {
        const std::uint64_t w = checker_.choose(run_.workers);
        ++left_out;
        world_.left_out[w].store(1);
        checker_.note([&] { world_.expected[w] = false; });
        board.break_off();
        return true;
      }
      checker_.await([&] { return dead() > 0 || expected() == 0; });
      const std::uint64_t who = checker_.ask(dead);
      if (who == 0) return checker_.note([&] { world_.open = false; }), step = 2, true;
      checker_.note([&] { world_.expected[who - 1] = false; });
      board.break_off();
      return true;
    }
    const bool complete = board.is_complete(static_cast<std::uint32_t>(first));
    checker_.note([&] {
      const std::size_t phases = std::size_t{2} * run_.turns[round - 1];
      for (std::size_t p = 0; p < phases; ++p)
        checker_.require(!complete || world_.finished[first + p] == all(), complete_is_all);
    });
    const auto holders = [&] { return any([&](std::size_t w) { return world_.inside[w] && !checker_.is_dead(w); }); };
    if (!complete && Care::waits_for_holders) checker_.await([&] { return holders() == 0; });
    step = 0;
    return true;
  }

  board_run run_;
  shared world_{};
  model_checker checker_;
};

using board_under = test::under_every_schedule;

TEST_P(board_under, every_schedule_keeps_its_sentences) {
  const auto holds = [&](const board_run& run, int deaths, int timeouts) {
    expect_sound(
        board_schedules<sound_board>(run, {.store_buffers = GetParam(), .deaths = deaths, .timeouts = timeouts})
            .checker());
  };
  holds({.workers = 2}, 0, 0);
  holds({.workers = 2, .rounds = 2}, 0, 0);
  holds({.workers = 2, .rounds = 2}, 1, 0);
  holds({.workers = 2, .items = 1, .rounds = 2, .turns = {1, 2}, .left_out = 1}, 0, 0);
}

INSTANTIATE_TEST_SUITE_P(control, board_under, testing::Bool(), test::name_of_buffers);

// The checker finds the fault of each of these boards.

template <class Board, class Care = careful>
bool board_breaks(const board_run& run, const char* sentence, bool store_buffers = false) {
  board_schedules<Board, Care> all(run, {.store_buffers = store_buffers, .until = sentence});
  return all.checker().broken_sentences().count(sentence) == 1;
}
constexpr board_run one_round{.workers = 2}, one_left_out{.workers = 2, .items = 1, .rounds = 2, .left_out = 1},
    then_longer{.workers = 2, .items = 1, .rounds = 2, .turns = {1, 2}, .left_out = 1};

struct claimed_by_load_and_store : sound_board {
  std::optional<std::size_t> claim(std::uint32_t in, std::size_t items, std::size_t) noexcept {
    const std::uint64_t seen = claims.load();
    for (std::size_t i = 0; i < items && (seen >> 32) == in; ++i) {
      if ((seen >> i & 1) == 0) return claims.store(seen | std::uint64_t{1} << i), i;
    }
    return std::nullopt;
  }
};
TEST(broken_board, that_is_claimed_from_by_load_and_store_is_found) {
  EXPECT_TRUE((board_breaks<claimed_by_load_and_store>(one_round, one_claims)));
}

struct claimed_in_any_phase : sound_board {
  std::optional<std::size_t> claim(std::uint32_t, std::size_t items, std::size_t preferred) noexcept {
    const std::uint64_t now = claims.load();
    return sound_board::claim(static_cast<std::uint32_t>(now >> 32), items, preferred);
  }
};
TEST(broken_board, that_does_not_look_at_the_phase_is_found) {
  EXPECT_TRUE((board_breaks<claimed_in_any_phase>(one_round, one_claims)));
}

struct finished_too_early : sound_board {
  bool finish(std::size_t) noexcept { return finished.fetch_add(1) == 0; }
};
TEST(broken_board, that_ends_a_phase_with_its_first_item_is_found) {
  EXPECT_TRUE((board_breaks<finished_too_early>(one_round, all_finished)));
}

/// Looks for sleepers before it opens the phase.
struct wakes_too_early : sound_board {
  void advance(std::uint32_t from, std::uint32_t to) noexcept {
    const bool wake = sleepers.load() > 0;
    finished.store(0, std::memory_order_relaxed);
    claims.store(std::uint64_t{to} << 32, std::memory_order_release);
    if (phase.compare_exchange_strong(from, to) && wake) model_atomics::wake_all(phase);
  }
};
TEST(broken_board, that_looks_for_sleepers_before_it_opens_a_phase_is_found) {
  EXPECT_TRUE(board_breaks<wakes_too_early>(one_round, board_wakes));
}

/// The same fault, made by the processor: the store waits in its buffer while the sleepers are looked for.
struct phase_opened_by_release : sound_board {
  void advance(std::uint32_t, std::uint32_t to) noexcept {
    finished.store(0, std::memory_order_relaxed);
    claims.store(std::uint64_t{to} << 32, std::memory_order_release);
    phase.store(to, std::memory_order_release);
    if (sleepers.load() > 0) model_atomics::wake_all(phase);
  }
};
TEST(broken_board, whose_phase_is_opened_by_a_release_is_found_where_there_are_store_buffers) {
  EXPECT_FALSE(board_breaks<phase_opened_by_release>(one_round, board_wakes));
  EXPECT_TRUE(board_breaks<phase_opened_by_release>(one_round, board_wakes, true));
}

/// Takes the mark of a phase that was broken off for a large number.
struct complete_when_broken : sound_board {
  bool is_complete(std::uint32_t first) const noexcept { return (phase.load() - first) / 2 >= turns.load(); }
};
TEST(broken_board, that_takes_a_broken_round_for_complete_is_found) {
  EXPECT_TRUE((board_breaks<complete_when_broken>(one_left_out, complete_is_all)));
}

/// Publishes the number of turns while items of the previous round can still be claimed.
struct turns_told_first : sound_board {
  std::uint32_t open(std::uint32_t of_turns) noexcept {
    turns.store(of_turns);
    return sound_board::open(of_turns);
  }
};
TEST(broken_board, that_tells_its_turns_before_it_ends_the_round_before_is_found) {
  EXPECT_TRUE((board_breaks<turns_told_first>(then_longer, takes_nothing)));
}

struct hurried : careful {
  static constexpr bool waits_for_holders = false;
};
TEST(broken_board, that_is_opened_while_somebody_left_out_has_an_item_in_hand_is_found) {
  EXPECT_TRUE((board_breaks<sound_board, hurried>(one_left_out, one_claims)));
}

struct heedless : careful {
  static constexpr bool looks_whether_it_counts = false;
};
TEST(broken_board, whose_worker_does_not_look_whether_it_counts_is_found) {
  EXPECT_TRUE((board_breaks<sound_board, heedless>(then_longer, takes_nothing)));
}

}  // namespace
