// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/model_situation.hpp"

namespace hogwild::test {

struct schedule_options {
  bool store_buffers = false;  ///< others see stores that are not sequentially consistent later, in their order
  int deaths = 0;              ///< how many mortal parties may die, each before any of its operations
  int timeouts = 0;            ///< how often somebody gives up waiting although something else could happen
  std::string until{};         ///< the visit ends when this sentence is found broken
  std::size_t most_situations = 2'000'000;
};

/// Runs a few parties that share a `world` of model_atomics (model_atomics.hpp) under every schedule: at each step any
/// of them does its next operation, is passed over for any length, or dies; what others see late, who sleeps on a word
/// and who gives up waiting are steps as well. Collects the sentences of which a party or an invariant finds that they
/// do not hold, and two of its own: that no wake-up is lost, and that nobody waits for ever.
///
/// A party is a function that is called again and again until it returns false. It remembers what it finds in its
/// argument, and else depends only on what its operations return. So it needs no stack of its own: to go on with it, it
/// is called once more, is told from a log what its operations returned, and is left by longjmp when it has done one
/// more. Hence no object that lives across an operation may have a destructor that matters. Of situations with the same
/// world, logs and buffers one is gone on with. One checker lives at a time.
class model_checker {
  enum class kind { step, choice, note };
  using situation = model_situation;
  using party = situation::party;
  using pending = situation::pending;
  using status = situation::status;

 public:
  using memory = model_situation::memory;
  using program = std::function<bool(memory&)>;
  using outcome = std::optional<std::uint64_t>;  ///< of an operation; none where it has to wait

  template <class World>
  model_checker(World& world, const schedule_options& options)
      : live_(std::as_writable_bytes(std::span(&world, 1))), options_(options) {
    static_assert(std::is_trivially_copyable_v<World>);
    current_ = this;
  }
  ~model_checker() { current_ = nullptr; }
  model_checker(const model_checker&) = delete;
  model_checker& operator=(const model_checker&) = delete;

  void add(bool mortal, program run) { programs_.push_back({mortal, std::move(run)}); }
  /// What must hold in every situation; it may do operations, which change nothing.
  void always(std::function<void()> invariant) { always_ = std::move(invariant); }
  /// What must hold where nobody has anything left to do.
  void at_the_end(std::function<void()> invariant) { at_the_end_ = std::move(invariant); }

  /// Visits every situation; returns the sentences that do not hold.
  std::set<std::string> broken_sentences() {
    situation first{{live_.begin(), live_.end()},
                    std::vector<party>(programs_.size()),
                    options_.deaths,
                    options_.timeouts,
                    most_patience};
    visit(first);
    return broken_;
  }
  std::size_t situations() const { return known_.size(); }
  /// A schedule that leads to the sentence which was found broken first.
  const std::string& schedule() const { return schedule_; }

  // For parties and invariants.

  static void require(bool holds, const char* sentence) {
    if (holds) return;
    current_->failed_ = true;
    current_->broken_.insert(sentence);
    current_->over_ = current_->over_ || sentence == current_->options_.until;
  }
  /// Together with the operation before it, looks at the world as a whole, or writes into it what later ones ask for.
  template <class Act>
  static std::uint64_t note(const Act& act) {
    return current_->operate<kind::note>("", [&](model_checker&) -> outcome {
      if constexpr (std::is_void_v<decltype(act())>)
        return act(), 0;
      else
        return static_cast<std::uint64_t>(act());
    });
  }
  /// One of 0 .. of - 1, each in a schedule of its own; together with the operation after it.
  static std::uint64_t choose(std::uint64_t of) {
    return current_->operate<kind::choice>("", [of](model_checker& c) -> outcome {
      if (c.chosen_++ == c.choices_.size()) c.choices_.push_back({0, of});
      return c.choices_[c.chosen_ - 1].now;
    });
  }
  /// Waits until `condition` holds, which is asked of the world as it is in memory: what an operating system tells,
  /// say.
  template <class Condition>
  static void await(const Condition& condition) {
    perform("awaits", [&](model_checker& c) { return condition() ? outcome(1) : c.suspend(status::awaiting); });
  }
  static bool is_dead(std::size_t p) { return current_->now_->parties[p].now == status::dead; }

  // For model_atomics.

  /// An operation of the running party, before which others may do theirs.
  template <class Act>
  static std::uint64_t perform(const char* what, const Act& act) {
    return current_->operate<kind::step>(what, act);
  }
  template <class T>
  T read(const T* at) const {
    if (running_ != nullptr) {
      for (auto w = running_->buffer.rbegin(); w != running_->buffer.rend(); ++w)
        if (w->at == offset(at)) return static_cast<T>(w->value);
    }
    return *at;
  }
  template <class T>
  void write(T* at, T value, bool at_once) {
    const pending w{offset(at), sizeof(T), static_cast<std::uint64_t>(value)};
    if (running_ != nullptr && options_.store_buffers && !at_once) return running_->buffer.push_back(w);
    settle();
    apply(live_, w);
  }
  /// All see what the running party has stored.
  void settle() {
    if (running_ == nullptr) return;
    for (const pending& w : running_->buffer) apply(live_, w);
    running_->buffer.clear();
  }
  outcome sleep_on(const void* word) {
    running_->on = offset(word);
    return suspend(status::asleep);
  }
  void wake_all(const void* word) {
    if (now_ == nullptr) return;
    for (party& p : now_->parties)
      if (p.now == status::asleep && p.on == offset(word)) wake(p);
  }
  /// In a loop that only others can end, and with which a call begins: calls once more when they have written.
  outcome yield() {
    running_->log.clear();
    return suspend(std::exchange(running_->news, false) ? status::ready : status::waiting);
  }

 private:
  struct choice {
    std::uint64_t now, of;
  };
  struct mortal_program {
    bool mortal;
    program run;
  };

  std::uint32_t offset(const void* at) const {
    return static_cast<std::uint32_t>(static_cast<const std::byte*>(at) - live_.data());
  }
  outcome suspend(status how) {
    running_->now = how;
    return std::nullopt;
  }
  static void wake(party& p) {
    p.now = status::ready;
    p.log.push_back(0);
  }
  void apply(std::span<std::byte> world, const pending& w) {
    if (std::memcmp(&world[w.at], &w.value, w.bytes) == 0) return;
    std::memcpy(&world[w.at], &w.value, w.bytes);
    if (running_ != nullptr) tell_others(*running_);
  }
  void tell_others(const party& writer) {
    for (party& p : now_->parties) {
      if (&p == &writer) continue;
      p.news = p.now != status::waiting;
      if (p.now == status::waiting) p.now = status::ready;
    }
  }
  void end(party& p, status how) {
    p.now = how;
    p.kept = {};
    p.log.clear();
    tell_others(p);
  }

  template <kind Kind, class Act>
  std::uint64_t operate(const char* what, const Act& act) {
    if (running_ == nullptr) return *act(*this);
    if (replayed_ < running_->log.size()) return running_->log[replayed_++];
    if (Kind != kind::note && acted_) std::longjmp(leave_, 1);
    if (Kind == kind::step) acted_ = true, what_ = what;
    const outcome result = act(*this);
    if (!result) std::longjmp(leave_, 1);
    if (Kind == kind::step) result_ = *result;
    ++replayed_;
    running_->log.push_back(*result);
    return *result;
  }

  void step(situation& s, std::size_t p) {
    std::ranges::copy(s.world, live_.begin());
    running_ = &s.parties[p];
    running_->now = status::ready;
    scratch_ = running_->kept;
    replayed_ = 0;
    acted_ = false;
    if (setjmp(leave_) == 0) end_call(programs_[p].run(scratch_));
    std::ranges::copy(live_, s.world.begin());
  }
  void end_call(bool again) {
    running_->kept = scratch_;
    running_->log.clear();
    if (!again) end(*running_, status::done);
  }

  /// Goes on with a copy of `s` to which `act` has happened, by or to party p. False where p still awaits something.
  template <class Act>
  bool branch(const situation& s, std::size_t p, const char* what, const Act& act) {
    situation next = s;
    now_ = &next;
    running_ = &next.parties[p];
    what_ = what;
    result_ = 0;
    failed_ = false;
    act(next, next.parties[p]);
    running_ = nullptr;
    const bool moved = s.parties[p].now != status::awaiting || next.parties[p].now != status::awaiting;
    if (!moved) return false;
    path_.push_back({p, what_, result_});
    if (!failed_)
      visit(next);
    else
      tell_schedule();
    path_.pop_back();
    return true;
  }

  void visit(situation& s) {
    require(known_.size() < options_.most_situations, "there are not too many situations for this checker");
    if (failed_ || over_ || !known_.insert(s.hash()).second) return;
    if (!holds(s, always_)) return;
    bool moves = false;
    for (std::size_t p = 0; p < s.parties.size(); ++p) {
      const status now = s.parties[p].now;
      if (now == status::ready || now == status::awaiting) {
        std::vector<choice> choices;
        do {
          const bool moved = branch(s, p, "goes on", [&](situation& next, party&) {
            choices_ = std::move(choices), chosen_ = 0;
            step(next, p);
            choices = choices_;
          });
          moves = moves || moved;
          while (!choices.empty() && ++choices.back().now == choices.back().of) choices.pop_back();
        } while (!choices.empty());
      }
      if (!s.parties[p].buffer.empty()) {
        moves = true;
        branch(s, p, "is seen to store", [&](situation& next, party& me) {
          apply(next.world, me.buffer.front());
          me.buffer.erase(me.buffer.begin());
        });
      }
      if (now == status::asleep && s.timeouts > 0) {
        branch(s, p, "gives up waiting", [](situation& next, party& me) {
          --next.timeouts;
          wake(me);
        });
      }
      if (programs_[p].mortal && s.deaths > 0 && now != status::done && now != status::dead) {
        branch(s, p, "dies", [&](situation& next, party& me) {
          --next.deaths;
          // Who is known to be dead has been taken off its processor: what it had stored is seen.
          for (const pending& w : me.buffer) apply(next.world, w);
          me.buffer.clear();
          end(me, status::dead);
        });
      }
    }
    if (!moves) look_at_quiet(s);
  }

  /// Nobody can do anything: all have ended, or some sleep, which ends by timeouts where somebody has died.
  void look_at_quiet(situation& s) {
    const auto any = [&](status how) { return std::ranges::count(s.parties, how, &party::now) > 0; };
    const bool sleeps = any(status::asleep), waits = any(status::waiting) || any(status::awaiting);
    if (sleeps && s.deaths < options_.deaths && s.patience > 0) {
      const auto first = std::ranges::find(s.parties, status::asleep, &party::now) - s.parties.begin();
      branch(s, static_cast<std::size_t>(first), "and whoever sleeps give up waiting", [](situation& next, party&) {
        --next.patience;
        for (party& p : next.parties)
          if (p.now == status::asleep) wake(p);
      });
    }
    holds(s, [&] {
      require(!sleeps || s.deaths < options_.deaths, "no wake-up is lost: timeouts are for the dead");
      require((sleeps && s.patience > 0) || !(sleeps || waits), "nobody waits for ever");
      if (!sleeps && !waits && at_the_end_) at_the_end_();
    });
  }

  bool holds(situation& s, const std::function<void()>& invariant) {
    if (!invariant) return true;
    std::ranges::copy(s.world, live_.begin());
    now_ = &s;
    failed_ = false;
    invariant();
    if (failed_) tell_schedule();
    return !failed_;
  }
  void tell_schedule() {
    if (!schedule_.empty()) return;
    for (const auto& [p, what, result] : path_)
      schedule_ += "  party " + std::to_string(p) + " " + what + ": " + std::to_string(result) + "\n";
  }

  static constexpr int most_patience = 8;

  struct happened {
    std::size_t party;
    const char* what;
    std::uint64_t result;
  };

  static inline model_checker* current_ = nullptr;
  std::span<std::byte> live_;
  schedule_options options_;
  std::vector<mortal_program> programs_;
  std::function<void()> always_, at_the_end_;
  std::unordered_set<std::uint64_t> known_;
  std::set<std::string> broken_;
  std::vector<happened> path_;
  std::string schedule_;
  // While somebody does something.
  situation* now_ = nullptr;
  party* running_ = nullptr;
  std::jmp_buf leave_{};
  memory scratch_{};
  std::size_t replayed_ = 0;
  bool acted_ = false, failed_ = false, over_ = false;
  std::vector<choice> choices_;
  std::size_t chosen_ = 0;
  std::uint64_t result_ = 0;
  const char* what_ = "";
};

}  // namespace hogwild::test
