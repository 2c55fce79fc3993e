// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/ring_token.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/model_atomics.hpp"

// The token under every schedule of two to four workers and the coordinator. Each may be delayed for ever, which is
// like dying. In every situation on the way each worker must be able to get the token.

using namespace hogwild;
using test::model_checker;

namespace {

using sound_token = basic_ring_token<test::model_atomics>;

struct ring {
  std::vector<std::size_t> replica_of;  ///< of each worker
  std::uint64_t looks;                  ///< at the token, each worker's
};

constexpr const char* one_holder = "a generation has one holder";
constexpr const char* created_once = "a generation is created once, and never falls";
constexpr const char* live_alone = "a dead token changes nothing, and a live one is not refused";
constexpr const char* not_lost = "the token is not lost with its holder: whoever waited too long takes it over";

template <class Token>
class ring_schedules {
 public:
  explicit ring_schedules(const ring& r)
      : ring_(r), replicas_(*std::ranges::max_element(r.replica_of) + 1), checker_(world_, {}) {
    for (std::size_t w = 0; w < r.replica_of.size(); ++w)
      checker_.add(false, [this, w](model_checker::memory& looks) { return work(w, looks[0]); });
    checker_.add(false, [this](model_checker::memory&) { return open(); });
    checker_.always([this](bool) {
      for (std::size_t w = 0; w < ring_.replica_of.size(); ++w) {
        for (std::size_t v = 0; v < w; ++v)
          checker_.require(world_.holds[w] == 0 || world_.holds[w] != world_.holds[v], one_holder);
        checker_.require(can_get(world_.token, w), not_lost);
      }
    });
  }
  model_checker& checker() { return checker_; }

 private:
  using seen = typename Token::seen;
  struct shared {
    Token token{};
    std::uint64_t newest = 0;              ///< generation
    std::array<std::uint64_t, 4> holds{};  ///< a generation + 1
  };

  bool work(std::size_t w, std::uint64_t& looks) {
    Token& token = world_.token;
    const std::size_t replica = ring_.replica_of[w];
    if (looks++ == ring_.looks) return false;
    const seen what = token.look();
    std::optional<seen> got;
    if (Token::names(what, replica)) {
      got = token.claim(what);
    } else if (checker_.choose(2) == 1) {  // it is overdue
      got = token.take_over(what, replica);
      handed_off(what, got.has_value());
    }
    if (!got) return true;
    checker_.note([&] { world_.holds[w] = Token::generation(*got) + 1; });
    const std::size_t next = checker_.choose(replicas_);
    const bool passed = token.pass(*got, next);
    checker_.note([&] { world_.holds[w] = 0; });
    handed_off(*got, passed);
    return true;
  }
  /// open(), which records which of its tries succeeded.
  bool open() {
    const seen what = world_.token.look();
    const bool passed = world_.token.pass(what, 0);
    handed_off(what, passed);
    return !passed;
  }
  void handed_off(seen from, bool done) {
    checker_.note([&] {
      const std::uint64_t now = Token::generation(seen{world_.token.word.value});
      checker_.require(done ? Token::generation(from) == world_.newest : world_.token.word.value != from.word,
                       live_alone);
      checker_.require(now == world_.newest + (done ? 1 : 0), created_once);
      world_.newest = now;
    });
  }
  /// Whether worker w, on its own, has the token in hand after a look and one more operation.
  bool can_get(Token token, std::size_t w) const {
    const std::size_t replica = ring_.replica_of[w];
    const seen now = token.look();
    const auto got = Token::names(now, replica) ? token.claim(now) : token.take_over(now, replica);
    return got && token.look() == *got && Token::replica(*got) == replica;
  }

  ring ring_;
  std::size_t replicas_;
  shared world_{};
  model_checker checker_;
};

class ring_token_schedules : public testing::TestWithParam<ring> {};

TEST_P(ring_token_schedules, neither_lose_nor_double_the_token) {
  ring_schedules<sound_token> all(GetParam());
  EXPECT_EQ(all.checker().broken_sentences(), std::set<std::string>{});
  EXPECT_GT(all.checker().situations(), 1000u);
  RecordProperty("situations", static_cast<int>(all.checker().situations()));
}

INSTANTIATE_TEST_SUITE_P(control, ring_token_schedules,
                         testing::Values(ring{{0, 1}, 3}, ring{{0, 0}, 3}, ring{{0, 1, 2}, 1}, ring{{0, 0, 1}, 2},
                                         ring{{0, 0, 1, 1}, 1}),
                         [](const auto& with) {
                           std::string name = "replicas";
                           for (const std::size_t r : with.param.replica_of) name += "_" + std::to_string(r);
                           return name;
                         });

// The checker finds the fault of each of these tokens.

struct passed_by_plain_store : sound_token {
  bool pass(seen s, std::size_t next) {
    word.store(((generation(s) + 1) << 16) | next, std::memory_order_release);
    return true;
  }
};
TEST(broken_token, that_is_passed_by_a_plain_store_is_found) {
  const auto broken = ring_schedules<passed_by_plain_store>({{0, 1}, 2}).checker().broken_sentences();
  EXPECT_EQ(broken.count(live_alone) + broken.count(created_once), 2u);
}

struct taken_over_without_generation : sound_token {
  std::optional<seen> take_over(seen s, std::size_t me) {
    std::uint64_t from = s.word;
    const std::uint64_t to = (generation(s) << 16) | most_replicas | me;
    if (!word.compare_exchange_strong(from, to, std::memory_order_relaxed, std::memory_order_relaxed)) return {};
    return seen{to};
  }
};
TEST(broken_token, that_is_taken_over_under_the_old_generation_is_found) {
  EXPECT_EQ(ring_schedules<taken_over_without_generation>({{0, 1}, 2}).checker().broken_sentences().count(created_once),
            1u);
}

struct safe_in_a_hand : sound_token {
  std::optional<seen> take_over(seen s, std::size_t me) {
    if (in_hand({word.load(std::memory_order_relaxed)})) return {};
    return sound_token::take_over(s, me);
  }
  static bool in_hand(seen s) { return sound_token::in_hand(s); }
};
TEST(broken_token, that_nobody_takes_from_a_dead_hand_is_found) {
  EXPECT_EQ(ring_schedules<safe_in_a_hand>({{0, 1}, 2}).checker().broken_sentences().count(not_lost), 1u);
}

struct claimed_by_all_who_see_it : sound_token {
  std::optional<seen> claim(seen s) {
    if (!is_still(s)) return {};
    return s;
  }
};
TEST(broken_token, that_two_workers_of_a_replica_may_hold_is_found) {
  EXPECT_EQ(ring_schedules<claimed_by_all_who_see_it>({{0, 0}, 2}).checker().broken_sentences().count(one_holder), 1u);
}

}  // namespace
