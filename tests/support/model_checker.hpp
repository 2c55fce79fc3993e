// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <hogwild/detail/math/random.hpp>

namespace hogwild::test {

struct schedule_options {
  bool store_buffers = false;  ///< others see stores that are not sequentially consistent with a delay, in order
  int deaths = 0;              ///< how many mortal parties may die, before any operation
  int timeouts = 0;            ///< how often a party may give up waiting although another one could act
  std::string until{};         ///< the visit ends when this sentence does not hold
};

/// Runs a few parties that share a `world` of model_atomics (model_atomics.hpp) under every schedule: at each step any
/// of them does its next operation, is delayed for any time, or dies. Delayed stores, sleeping on a word and giving up
/// are steps as well. Collects the sentences that a party or an invariant finds broken, and two of its own: that no
/// wake-up is lost, and that nobody waits for ever.
///
/// A party is a function that is called again and again until it returns false. Its only memory is its argument; apart
/// from that it depends only on the results of its operations. So it needs no stack of its own: to continue it, the
/// checker calls it once more, replays the results of its earlier operations from a log, and leaves it by longjmp after
/// one more operation. Hence no object that lives across an operation may need its destructor. Equal situations are
/// continued only once. One checker may live at a time.
class model_checker {
 public:
  using memory = std::array<std::uint64_t, 4>;
  static inline model_checker* current = nullptr;

  template <class World>
  model_checker(World& world, const schedule_options& options)
      : world_(std::as_writable_bytes(std::span(&world, 1))), options_(options) {
    static_assert(std::is_trivially_copyable_v<World> && sizeof(World) % sizeof(std::uint64_t) == 0);
    current = this;
  }
  model_checker& operator=(model_checker&&) = delete;

  void add(bool mortal, std::function<bool(memory&)> run) {
    programs_.push_back(std::move(run));
    now_.parties.push_back({.mortal = mortal});
  }
  /// Sets a condition that must hold in every situation. It is told whether all parties have ended, and must not change
  /// the world.
  void always(std::function<void(bool)> invariant) { always_ = std::move(invariant); }

  /// Visits every situation; returns the sentences that do not hold.
  std::set<std::string> broken_sentences() {
    std::memcpy(now_.world.data(), world_.data(), world_.size());
    visit(now_.hash());
    return broken_;
  }
  std::size_t situations() const { return known_.size(); }
  /// A schedule that breaks the sentence that was found broken first.
  const std::string& schedule() const { return schedule_; }

  // For parties and invariants.

  void require(bool holds, const char* sentence) {
    if (holds) return;
    failed_ = true;
    for (const auto& [p, did, got] : path_)
      if (broken_.empty()) schedule_ += "  party " + std::to_string(p) + " " + did + ": " + std::to_string(got) + "\n";
    broken_.insert(sentence);
  }
  /// Reads or writes the whole world, in one step with the operation before.
  std::uint64_t ask(const auto& look) {
    if (replayed_ == running_->log.size()) running_->log.push_back(static_cast<std::uint64_t>(look()));
    return running_->log[replayed_++];
  }
  /// Like ask(), without a result.
  void note(const auto& act) {
    ask([&] { return act(), 0; });
  }
  /// Returns one of 0 .. of - 1, each in a schedule of its own; in one step with the operation after.
  std::uint64_t choose(std::uint64_t of) {
    return ask([&] {
      if (acted_) leave();
      ways_ *= of;
      return std::exchange(way_, way_ / of) % of;
    });
  }
  /// Waits until `condition` holds for the world as it is in memory, like facts that the operating system reports.
  void await(const auto& condition) {
    perform("awaits", [&] { return condition() ? 1 : leave(); });
  }
  bool is_dead(std::size_t p) const { return now_.parties[p].now == dead; }

  // For model_atomics.

  /// An operation of the running party, before which others may act; or one of an invariant.
  std::uint64_t perform(const char* name, const auto& act) {
    if (running_ == &nobody_) return static_cast<std::uint64_t>(act());
    return ask([&] {
      if (std::exchange(acted_, true)) leave();
      path_.back().did = name;
      return path_.back().got = static_cast<std::uint64_t>(act());
    });
  }
  /// The value at `at` as the running party sees it, with its own stores that others do not see yet.
  template <class T>
  T read(const T& at) const {
    T seen = at;
    for (const pending& store : running_->buffer)
      if (store.at == &at) seen = static_cast<T>(store.value);
    return seen;
  }
  template <class T>
  void write(T& at, T value, bool at_once) {
    running_->buffer.push_back({&at, static_cast<std::uint64_t>(value), sizeof(T)});
    if (at_once || !options_.store_buffers) running_->settle();
  }
  void sleep(const std::uint32_t& word, std::uint32_t seen) {
    running_->settle();
    if (word != seen) return;
    running_->now = asleep;
    running_->on = &word;
    leave();
  }
  /// Wakes all that sleep on the word; on any word if it is null.
  void wake_all(const void* word) {
    running_->settle();
    for (party& p : now_.parties)
      if (p.now == asleep && (word == nullptr || p.on == word)) p.wake();
  }
  /// For a loop that only others can end, at the beginning of a call: calls the party again when they have written.
  void yield() {
    running_->log.clear();
    running_->now = running_->now == ready ? looping : waiting;
    leave();
  }

 private:
  enum status : std::uint64_t {
    ready,
    looping,  ///< ready, too, but no other party has written since it yielded
    waiting,  ///< it yielded once more: waits until another party writes
    asleep,   ///< waits until it is woken
    done,
    dead
  };
  /// A store that others do not see yet.
  struct pending {
    void* at;
    std::uint64_t value, bytes;
  };
  struct party {
    bool mortal = false;
    status now = ready;
    const void* on = nullptr;  ///< the word on which it sleeps
    memory kept{};
    std::vector<std::uint64_t> log{};  ///< what its operations returned since it was called
    std::vector<pending> buffer{};

    /// Others see its stores, the oldest first.
    void settle(std::size_t most = SIZE_MAX) {
      for (; most > 0 && !buffer.empty(); --most, buffer.erase(buffer.begin()))
        std::memcpy(buffer.front().at, &buffer.front().value, buffer.front().bytes);
    }
    void wake() {
      now = ready;
      on = nullptr;
      log.push_back(0);
    }
  };
  /// The state between two steps.
  struct situation {
    std::vector<std::uint64_t> world{};
    std::vector<party> parties{};
    int deaths = 0, timeouts = 0;  ///< how many are left
    int last_timeouts = 8;         ///< like `timeouts`, if nothing else can happen

    /// Two situations with the same hash are taken for the same. Among two millions a pair collides with a probability
    /// of 1e-7, and that hides only the continuations of one of the two.
    std::uint64_t hash() const {
      std::uint64_t h = 0, place = 0;
      const auto mix = [&](std::uint64_t x) {
        if (++place; x != 0) h += mix_bits(x ^ place << 40);
      };
      std::ranges::for_each(world, mix);
      for (const int left : {deaths, timeouts, last_timeouts}) mix(static_cast<std::uint64_t>(left));
      for (const party& p : parties) {
        for (const auto x :
             {std::uint64_t{p.now}, reinterpret_cast<std::uintptr_t>(p.on), p.log.size(), p.buffer.size()})
          mix(x);
        std::ranges::for_each(p.kept, mix);
        std::ranges::for_each(p.log, mix);
        for (const pending& store : p.buffer) mix(reinterpret_cast<std::uintptr_t>(store.at)), mix(store.value);
      }
      return h;
    }
  };
  struct happened {
    std::size_t party;
    const char* did;
    std::uint64_t got;
  };

  [[noreturn]] int leave() { std::longjmp(leave_, 1); }

  /// Does the next operation of a party, or its end after the last. Returns the number of ways to do so, as far as
  /// known.
  std::uint64_t step(party& me, const std::function<bool(memory&)>& run, std::uint64_t way) {
    running_ = &me, replayed_ = 0, acted_ = false;
    way_ = way, ways_ = 1;
    memory kept = me.kept;
    if (setjmp(leave_) == 0) {
      if (!run(kept)) running_->now = done, kept = {};
      running_->kept = kept;
      running_->log.clear();
    }
    running_ = &nobody_;
    return ways_;
  }

  /// Visits the situations that follow `here` when `act` happens, by or to party p, and restores `here`. Returns false
  /// if nothing changes.
  bool branch(std::uint64_t here, std::size_t p, const char* what, const auto& act) {
    situation before = now_;
    path_.push_back({p, what, 0});
    failed_ = false;
    act(now_.parties[p]);
    std::memcpy(now_.world.data(), world_.data(), world_.size());
    for (std::size_t other = 0; now_.world != before.world && other < now_.parties.size(); ++other) {
      status& its = now_.parties[other].now;
      if (other != p && (its == looping || its == waiting)) its = ready;
    }
    const std::uint64_t there = now_.hash();
    if (there != here && !failed_) visit(there);
    path_.pop_back();
    now_ = std::move(before);
    std::memcpy(world_.data(), now_.world.data(), world_.size());
    return there != here;
  }

  /// Continues in every way from the present situation, whose hash is `here`.
  void visit(std::uint64_t here) {
    require(known_.size() < 2'000'000, "there are not too many situations for this checker");
    if (failed_ || broken_.contains(options_.until) || !known_.insert(here).second) return;
    always_(false);
    if (failed_) return;
    bool moves = false;
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      const status was = now_.parties[p].now;
      for (std::uint64_t way = 0, ways = 1; way < ways && was <= looping; ++way)
        moves |= branch(here, p, "goes on", [&](party& me) { ways = std::max(ways, step(me, programs_[p], way)); });
      if (!now_.parties[p].buffer.empty())
        moves |= branch(here, p, "is seen to store", [](party& me) { me.settle(1); });
      if (was == asleep && now_.timeouts > 0)
        branch(here, p, "gives up waiting", [this](party& me) { --now_.timeouts, me.wake(); });
      // A party that is known to be dead has left its processor: its stores are seen.
      if (now_.parties[p].mortal && now_.deaths > 0 && was < done)
        branch(here, p, "dies", [this](party& me) { --now_.deaths, me.settle(), me = {.now = dead}; });
    }
    if (!moves) look_at_quiet(here);
  }

  /// No party can act: all have ended, or some sleep. If a party has died, timeouts end that.
  void look_at_quiet(std::uint64_t here) {
    const bool sleeps = std::ranges::count(now_.parties, asleep, &party::now) > 0;
    const bool ended = std::ranges::all_of(now_.parties, [](const party& p) { return p.now >= done; });
    const bool died = now_.deaths < options_.deaths;
    if (sleeps && died && now_.last_timeouts > 0)
      branch(here, 0, "sees all give up waiting", [this](party&) { --now_.last_timeouts, wake_all(nullptr); });
    require(!sleeps || died, "no wake-up is lost: timeouts are for the dead");
    require(ended || (sleeps && now_.last_timeouts > 0), "nobody waits for ever");
    if (ended) always_(true);
  }

  std::span<std::byte> world_;  ///< the present world; between two steps now_ has a copy
  schedule_options options_;
  std::vector<std::function<bool(memory&)>> programs_;
  std::function<void(bool)> always_ = [](bool) {};
  situation now_{std::vector<std::uint64_t>(world_.size() / 8), {}, options_.deaths, options_.timeouts};
  std::unordered_set<std::uint64_t> known_;  ///< hashes
  std::vector<happened> path_;
  std::set<std::string> broken_;
  std::string schedule_;
  bool failed_ = false;
  party nobody_, *running_ = &nobody_;  ///< the party whose step it is; the next members belong to the step
  std::jmp_buf leave_;
  std::size_t replayed_;
  bool acted_;
  std::uint64_t way_, ways_;  ///< the number of its choice, and of the choices known so far
};

}  // namespace hogwild::test
