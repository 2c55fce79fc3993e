// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/control/ring_token.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// The token under every schedule. Two to four workers and the coordinator each do one atomic operation at a time, in
// every order that there is. So each of them may be stopped before each of its operations, for as long as it likes; for
// ever, which is dying: every situation on the way is one in which any of the others may be dead, and it is asked of
// each that whoever lives can get the token.

using namespace hogwild;

namespace {

/// Stands for std::atomic where one thing happens at a time, and counts the operations.
template <class T>
struct simulated {
  static inline int operations = 0;
  T value;

  T load(std::memory_order) const {
    ++operations;
    return value;
  }
  void store(T to, std::memory_order) {
    ++operations;
    value = to;
  }
  bool compare_exchange_strong(T& from, T to, std::memory_order, std::memory_order) {
    ++operations;
    if (value != from) {
      from = value;
      return false;
    }
    value = to;
    return true;
  }
};
using sound_token = basic_ring_token<simulated>;
using seen = sound_token::seen;

struct ring {
  std::vector<std::size_t> replica_of;  ///< of each worker
  int looks;                            ///< at the token, each worker's
  int rounds = 1;                       ///< that the coordinator opens while workers are still at an earlier one
};

enum class at : std::uint8_t { rest, looked, holds };

struct process {
  at where = at::rest;
  int left = 0;  ///< looks of a worker, rounds of the coordinator
  seen what{0};
};

/// What there is between two operations: the token, and whoever uses it. The coordinator is the last process.
struct situation {
  std::uint64_t word = 0;
  std::uint64_t newest = 0;  ///< generation
  std::array<process, 5> all{};

  using key = std::array<std::uint64_t, 2>;
  /// Situations that differ only in how many generations there were before all of those in use are the same.
  key packed() const {
    const auto small = [this](std::uint64_t w) {
      return (newest - (w >> 16)) << 3 | (w & sound_token::most_replicas) >> 13 | (w & 3);
    };
    key k{0, small(word)};
    for (const process& p : all) {
      const std::uint64_t what = p.where == at::rest ? 0 : small(p.what.word);
      k[0] = k[0] << 12 | what << 4 | static_cast<std::uint64_t>(p.left) << 2 | static_cast<std::uint64_t>(p.where);
    }
    return k;
  }
};
struct key_hash {
  std::size_t operator()(const situation::key& k) const {
    return static_cast<std::size_t>((k[0] ^ k[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu >> 7);
  }
};

/// Visits every situation that can be reached, and says what must not be and is.
template <class Token>
class explorer {
 public:
  explicit explorer(ring r) : ring_(std::move(r)) {
    situation first;
    for (std::size_t w = 0; w < ring_.replica_of.size(); ++w) first.all[w].left = ring_.looks;
    coordinator(first).left = ring_.rounds;
    visit(first);
    while (!open_.empty()) {
      const situation s = open_.back();
      open_.pop_back();
      for (std::size_t w = 0; w < ring_.replica_of.size(); ++w) schedule_worker(s, w);
      schedule_coordinator(s);
    }
  }

  std::size_t situations() const { return known_.size(); }
  const std::set<std::string>& faults() const { return faults_; }

 private:
  process& coordinator(situation& s) const { return s.all[ring_.replica_of.size()]; }

  void require(bool holds, const char* otherwise) {
    if (!holds) faults_.insert(otherwise);
  }

  /// One operation on the token, by a call of one of its functions.
  template <class Call>
  auto operate(situation& s, const Call& call) {
    Token token{};
    token.word.value = s.word;
    simulated<std::uint64_t>::operations = 0;
    const auto result = call(token);
    require(simulated<std::uint64_t>::operations == 1, "a call is more than one operation");
    require(token.word.value >> 16 >= s.word >> 16, "the generation fell");
    s.word = token.word.value;
    return result;
  }
  /// As operate(), for one that changes the token, or finds that something has happened to it since it was `from`.
  template <class Call>
  bool change(situation& s, seen from, bool hand_off, const Call& call) {
    const std::uint64_t before = s.word;
    const bool done = operate(s, call);
    require(done == (before == from.word), done ? "a dead token was used" : "a live token was refused");
    require(done || s.word == before, "a dead token changed the live one");
    if (done && hand_off) {
      require(s.word >> 16 > s.newest, "a generation was created twice");
      s.newest = std::max(s.newest, s.word >> 16);
    }
    return done;
  }

  void schedule_worker(const situation& s, std::size_t w) {
    const std::size_t replica = ring_.replica_of[w];
    const auto then = [&](const auto& act) {
      situation next = s;
      process& me = next.all[w];
      me.where = at::rest;
      act(next, me);
      visit(next);
    };
    const auto takes = [](process& me, std::optional<seen> got) {
      if (got) me.where = at::holds, me.what = *got;
      return got.has_value();
    };
    const seen what = s.all[w].what;
    if (s.all[w].where == at::rest && s.all[w].left > 0) {
      then([&](situation& next, process& me) {
        --me.left;
        me.what = operate(next, [](Token& token) { return token.look(); });
        me.where = at::looked;
      });
    } else if (s.all[w].where == at::looked && Token::names(what, replica)) {
      then([&](situation& next, process& me) {
        change(next, what, false, [&](Token& token) { return takes(me, token.claim(what)); });
      });
    } else if (s.all[w].where == at::looked) {
      then([](situation&, process&) {});  // not its turn, and not overdue
      then([&](situation& next, process& me) {
        change(next, what, true, [&](Token& token) { return takes(me, token.take_over(what, replica)); });
      });
    } else if (s.all[w].where == at::holds) {
      for (const std::size_t to : ring_.replica_of) {  // whichever of them it takes for its successor
        then([&](situation& next, process&) {
          change(next, what, true, [&](Token& token) { return token.pass(what, to); });
        });
      }
    }
  }

  /// open(), which is a look and a pass until it succeeds.
  void schedule_coordinator(situation next) {
    process& me = coordinator(next);
    if (me.left == 0) return;
    if (me.where == at::rest) {
      me.what = operate(next, [](Token& token) { return token.look(); });
      me.where = at::looked;
    } else {
      const seen what = me.what;
      if (change(next, what, true, [&](Token& token) { return token.pass(what, 0); })) --me.left;
      me.where = at::rest;
    }
    visit(next);
  }

  void visit(const situation& s) {
    require(s.newest < 32, "the model is too small for its key");
    if (s.newest >= 32 || !known_.insert(s.packed()).second) return;
    open_.push_back(s);
    for (std::size_t w = 0; w < ring_.replica_of.size(); ++w) {
      const process& a = s.all[w];
      for (std::size_t v = 0; v < w; ++v) {
        const process& b = s.all[v];
        require(a.where != at::holds || b.where != at::holds || a.what.word >> 16 != b.what.word >> 16,
                "a generation has two holders");
      }
      require(can_get(s, w), "the token is lost");
    }
  }

  /// Whether worker w, on its own, has the token in hand after a look and one more operation.
  bool can_get(const situation& s, std::size_t w) {
    Token token{};
    token.word.value = s.word;
    const seen now = token.look();
    const auto got =
        Token::names(now, ring_.replica_of[w]) ? token.claim(now) : token.take_over(now, ring_.replica_of[w]);
    return got && token.look() == *got && Token::replica(*got) == ring_.replica_of[w];
  }

  ring ring_;
  std::unordered_set<situation::key, key_hash> known_;
  std::vector<situation> open_;
  std::set<std::string> faults_;
};

class schedules : public testing::TestWithParam<ring> {};

TEST_P(schedules, neither_lose_nor_double_the_token) {
  const explorer<sound_token> all(GetParam());
  EXPECT_EQ(all.faults(), std::set<std::string>{});
  EXPECT_GT(all.situations(), 1000u);
  RecordProperty("situations", static_cast<int>(all.situations()));
}

INSTANTIATE_TEST_SUITE_P(ring_token, schedules,
                         testing::Values(ring{{0, 1}, 3}, ring{{0, 0}, 3}, ring{{0, 1, 2}, 2}, ring{{0, 0, 1}, 2},
                                         ring{{0, 1, 2, 3}, 1}, ring{{0, 0, 1, 1}, 1}),
                         [](const auto& with) {
                           std::string name = "replicas";
                           for (const std::size_t r : with.param.replica_of) name += "_" + std::to_string(r);
                           return name;
                         });

// What the explorer is worth: tokens with a fault, each found out.

struct passed_by_plain_store : sound_token {
  bool pass(seen s, std::size_t next) {
    word.store(((generation(s) + 1) << 16) | next, std::memory_order_release);
    return true;
  }
};
TEST(broken_token, that_is_passed_by_a_plain_store_is_found) {
  const explorer<passed_by_plain_store> all({{0, 1}, 2});
  EXPECT_EQ(all.faults().count("a dead token was used"), 1u);
  EXPECT_EQ(all.faults().count("a generation was created twice"), 1u);
  EXPECT_EQ(all.faults().count("a generation has two holders"), 1u);
  EXPECT_EQ(all.faults().count("the generation fell"), 1u);
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
  const explorer<taken_over_without_generation> all({{0, 1}, 2});
  EXPECT_EQ(all.faults().count("a generation was created twice"), 1u);
  EXPECT_EQ(all.faults().count("a generation has two holders"), 1u);
}

struct safe_in_a_hand : sound_token {
  std::optional<seen> take_over(seen s, std::size_t me) {
    if (in_hand(word.load(std::memory_order_relaxed))) return {};
    return sound_token::take_over(s, me);
  }
  static bool in_hand(std::uint64_t w) { return sound_token::in_hand({w}); }
};
TEST(broken_token, that_nobody_takes_from_a_dead_hand_is_found) {
  const explorer<safe_in_a_hand> all({{0, 1}, 2});
  EXPECT_EQ(all.faults().count("the token is lost"), 1u);
  EXPECT_EQ(all.faults().count("a call is more than one operation"), 1u);
}

struct claimed_by_all_who_see_it : sound_token {
  std::optional<seen> claim(seen s) {
    if (!is_still(s)) return {};
    return s;
  }
};
TEST(broken_token, that_two_workers_of_a_replica_may_hold_is_found) {
  EXPECT_EQ(explorer<claimed_by_all_who_see_it>({{0, 0, 1}, 2}).faults(),
            std::set<std::string>{"a generation has two holders"});
  EXPECT_EQ(explorer<claimed_by_all_who_see_it>({{0, 1}, 3}).faults(), std::set<std::string>{});
}

}  // namespace
