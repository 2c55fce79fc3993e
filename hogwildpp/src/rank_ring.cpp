// SPDX-License-Identifier: Apache-2.0
#include "rank_ring.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/detail/platform/wait_limit.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/worker/row_state.hpp>
#include <hogwild/error.hpp>
#include <hogwildpp/detail/delta_message.hpp>
#include <hogwildpp/detail/ring_stream.hpp>

namespace hogwild::detail {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::uint32_t round_ends = 1, stop_asked = 2;  ///< flags of a message

/// A pause in multiples of its turn's CPU time: the ring's thread has no CPU of its own, so turns may take only a
/// fraction of the time.
constexpr int pause_per_turn = 19;
constexpr auto longest_pause = 20ms;
/// The time between two checks whether the round was abandoned.
constexpr auto look_around = 50ms;

template <parameter T, class Update>
class typed_rank_ring final : public rank_ring {
 public:
  typed_rank_ring(const param_store& store, message_link& link, std::vector<parameter_group> groups,
                  const rank_ring_options& options)
      : store_(store),
        link_(link),
        groups_(std::move(groups)),
        options_(options),
        keep_(std::max(store.shape().parameters, stretch)),
        rows_(link.size()) {
    std::ranges::sort(groups_, {}, &parameter_group::offset);
    state_groups_ = groups_of_array(store.shape(), 1, groups_);
    for (const parameter_group& g : groups_) widest_ = std::max(widest_, g.width);
    for (std::size_t k = 0; k <= store.shape().state_arrays; ++k) {
      arrays_.emplace_back(k == 0 ? store.parameters<T>() : store.state<T>(k - 1));
      streams_.emplace_back(stored(k).size());
    }
  }
  ~typed_rank_ring() override { abandon(); }

  void open(const round_plan& round, const round_rows& rows, const known_curvature& steep) override {
    round_ = round;
    steep_ = steep;
    goal_ = rows;
    ++opened_;
    over_ = false;
    turns_ = 0;
    rows_before_ = rows_here();
    std::ranges::fill(rows_, 0);
    taken_.fill(0);
    scale_ = round.l2.scale;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      own_all_.assign(stored(k).begin(), stored(k).end());
      multiply_scaled(k, own_all_);
      streams_[k].begin(own_all_);
    }
    thread_ = start_thread([this](const std::stop_token& stop) { run(stop); });
  }

  bool wait_for_end() override {
    std::unique_lock lock(mutex_);
    // A message that arrives a whole lap later was sent on by every rank after this one had finished.
    const std::uint64_t lap_later = turns_ + 2;
    const bool enough = rows_of_round() >= goal_.most_here;
    resting_ = true;
    news_.notify_all();
    news_.wait(lock, [&] { return over_ || (!enough && turns_ >= lap_later); });
    resting_ = false;
    if (over_ && failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return over_;
  }

  void merge(collective& ranks) override {
    thread_ = {};
    const bool is_last = link_.rank() + 1 == link_.size();
    scale_ = scale_now();
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      own_all_.assign(stored(k).begin(), stored(k).end());
      multiply_scaled(k, own_all_);
      part_.resize(own_all_.size());
      std::ranges::fill(keep_, state_kept());
      if (k == 0) {
        for (const parameter_group& g : groups_)
          for_levels(g, g.rows, [&](std::size_t first, std::size_t count, std::size_t level) {
            fill_kept(kept_since(rows_of_round() - taken_[level]), first, std::span(keep_).subspan(first, count));
          });
      }
      streams_[k].bring(own_all_, keep_, is_last, part_);
      ranks.all_reduce(std::span(part_));
      std::ranges::copy(part_, stored(k).begin());
      report_.bytes += part_.size() * sizeof(T);
    }
    if (std::exchange(stopped_workers_, false)) {
      auto asked = stop_request::round;
      store_.control().stop.compare_exchange_strong(asked, stop_request::none);
    }
  }

  void abandon() noexcept override {
    thread_.request_stop();
    thread_ = {};
  }

  link_report report() const override {
    link_report all = report_;
    all.ranks = link_.size();
    return all;
  }

 private:
  static constexpr std::size_t stretch = 16 * delta_block_size, line = 16;

  /// The numbers in the first k arrays.
  std::uint64_t coordinates(std::size_t k) const {
    return k == 0 ? 0 : store_.shape().parameters + (k - 1) * store_.shape().numbers_of_state();
  }
  std::span<T> stored(std::size_t k) const { return k == 0 ? store_.parameters<T>() : store_.state<T>(k - 1); }

  std::uint64_t rows_here() const { return rows_trained(store_.slots()); }
  std::uint64_t rows_of_round() const { return rows_here() - rows_before_; }
  std::uint64_t rows_of_all() const { return std::accumulate(rows_.begin(), rows_.end(), std::uint64_t{0}); }

  static constexpr std::size_t levels = 64;

  /// Calls f(first parameter, count, level) for the parts of a group's first `rows` that are exchanged in the same
  /// turns.
  template <class F>
  void for_levels(const parameter_group& g, std::size_t rows, const F& f) const {
    if (!g.hot_first) return f(g.offset, g.rows * g.width, 0);
    std::size_t first = 0;
    for (std::size_t level = 0; first < std::min(rows, g.rows); ++level) {
      const std::size_t last = std::min({ruler_prefix(std::uint64_t{1} << level, widest_), rows, g.rows});
      f(g.offset + first * g.width, (last - first) * g.width, level);
      first = last;
    }
  }

  kept_gains kept_since(std::uint64_t rows) const {
    return kept_gains::of(round_.step * options_.step_lasts, static_cast<double>(rows), link_.size(), steep_.elsewhere);
  }

  T state_kept() const { return static_cast<T>(options_.state_kept); }
  /// Computes the kept fraction of the gains of the parameters from `first` on.
  void fill_kept(const kept_gains& kept, std::size_t first, std::span<T> keep) const {
    for (std::size_t i = 0; i < keep.size(); ++i) {
      keep[i] = kept(static_cast<T>(steep_.curvature[first + i]), static_cast<T>(steep_.holders[first + i]));
    }
  }

  bool is_scaled(std::size_t k, const parameter_group& g) const { return k == 0 && options_.scaled && g.hot_first; }

  /// w = scale * v, at the present position of this rank's workers.
  double scale_now() const { return round_.l2.at(round_.l2.position + static_cast<double>(rows_of_round())); }
  void multiply_scaled(std::size_t k, std::span<T> array) const {
    for (const parameter_group& g : groups_) {
      if (!is_scaled(k, g)) continue;
      for (T& x : array.subspan(g.offset, g.rows * g.width)) x *= static_cast<T>(scale_);
    }
  }

  void run(const std::stop_token& stop) {
    try {
      go_around(stop);
    } catch (...) {
      failure_ = std::current_exception();
    }
    auto none = stop_request::none;
    if (store_.control().stop.compare_exchange_strong(none, stop_request::round)) stopped_workers_ = true;
    const std::scoped_lock lock(mutex_);
    over_ = true;
    news_.notify_all();
  }

  void go_around(const std::stop_token& stop) {
    std::uint64_t generation = link_.rank();
    std::uint32_t flags = 0;
    for (;; generation += link_.size()) {
      if (generation > 0) {
        const auto head = next_message(generation - 1, stop);
        if (!head) return;
        flags = head->flags;
        if ((flags & round_ends) != 0) {
          rows_ = head->rows;  // as the first rank had them, so that all ranks get the same
          return end_round(generation, flags);
        }
      }
      const auto begin = clock::now();
      const auto cpu_begin = thread_cpu_time();
      rows_[link_.rank()] = std::min(rows_of_round(), goal_.most_here);
      rows_taken_ = rows_of_round();
      scale_ = scale_now();
      if (store_.control().stopping()) flags |= stop_asked;
      if (link_.rank() == 0 && ((flags & stop_asked) != 0 || rows_of_all() >= goal_.all)) flags |= round_ends;
      if ((flags & round_ends) != 0) return end_round(generation, flags);
      const std::size_t prefix = ruler_prefix(generation / link_.size() + 1, widest_);
      send(generation, flags, prefix);
      const auto took = clock::now() - begin;
      report_.held_seconds += std::chrono::duration<double>(took).count();
      ++report_.exchanges;
      pause_ = std::min<clock::duration>(pause_per_turn * (thread_cpu_time() - cpu_begin), longest_pause);
      const std::scoped_lock lock(mutex_);
      ++turns_;
      news_.notify_all();
    }
  }

  void end_round(std::uint64_t generation, std::uint32_t flags) {
    if (link_.rank() + 1 < link_.size()) send(generation, flags, 0);
  }

  /// Takes in the message with the token; nothing if the round is abandoned.
  std::optional<delta_header> next_message(std::uint64_t generation, const std::stop_token& stop) {
    const auto begin = clock::now();
    wait_limit limit(options_.timeout, begin);
    while (!stop.stop_requested()) {
      const auto message = link_.receive(look_around);
      if (!message) {
        if (limit.passed()) too_late();
        continue;
      }
      const std::string name = "a message of rank " + std::to_string(before());
      delta_decoder<T> decoder(*message, coordinates(arrays_.size()), name);
      const delta_header& head = decoder.header();
      if (head.round < opened_ || (head.round == opened_ && head.generation < generation)) continue;  // outdated
      if (head.round != opened_ || head.generation != generation || head.rows.size() != rows_.size()) {
        throw worker_error(name + " is of turn " + std::to_string(head.generation) + " in round " +
                           std::to_string(head.round) + " of " + std::to_string(head.rows.size()) +
                           " ranks, but turn " + std::to_string(generation) + " in round " + std::to_string(opened_) +
                           " of " + std::to_string(rows_.size()) + " is due: all ranks have to run the same program");
      }
      decoder.for_each([&](std::uint64_t j, T d) {
        std::size_t k = 0;
        while (j >= coordinates(k + 1)) ++k;
        streams_[k].take_in(j - coordinates(k), d);
      });
      for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r] = std::max(rows_[r], head.rows[r]);
      report_.waited_seconds += std::chrono::duration<double>(clock::now() - begin).count();
      if ((head.flags & round_ends) == 0) pause();
      return head;
    }
    return std::nullopt;
  }

  /// The longer a turn waits here, the fresher are the gains that it sends on. If no worker trains, it does not wait.
  void pause() {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, pause_, [&] { return resting_; });
  }

  std::size_t before() const { return (link_.rank() + link_.size() - 1) % link_.size(); }

  [[noreturn]] void too_late() const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.timeout).count();
    throw worker_error("nothing has come from rank " + std::to_string(before()) + " for " + std::to_string(seconds) +
                       " s: it, or one before it on the ring, is lost, stopped or out of reach; look there, and go on "
                       "with --resume where there is a checkpoint");
  }

  /// Sends the token on, with the changes of a turn over the first `prefix` rows of each group; 0: none.
  void send(std::uint64_t generation, std::uint32_t flags, std::size_t prefix) {
    std::vector<std::byte> message;
    delta_encoder<T> encoder(message, {.values = options_.message_values,
                                       .generation = generation,
                                       .round = opened_,
                                       .flags = flags,
                                       .coordinates = coordinates(arrays_.size()),
                                       .prefix = prefix,
                                       .rows = rows_});
    if (prefix > 0) {
      for (std::size_t k = 0; k < arrays_.size(); ++k) {
        for (const parameter_group& g : k == 0 ? groups_ : state_groups_)
          for_levels(g, prefix, [&](std::size_t first, std::size_t count, std::size_t level) {
            turn(encoder, k, first, count, is_scaled(k, g) ? static_cast<T>(scale_) : T(1),
                 kept_since(rows_taken_ - taken_[level]));
          });
      }
      for (std::size_t level = 0; level < levels; ++level) {
        if (level > 0 && ruler_prefix(std::uint64_t{1} << (level - 1), widest_) >= prefix) break;
        taken_[level] = rows_taken_;
      }
    }
    encoder.finish();
    report_.bytes += message.size();
    link_.send(std::move(message));
  }

  void turn(delta_encoder<T>& encoder, std::size_t k, std::size_t first, std::size_t count, T a,
            const kept_gains& kept) {
    for (const std::size_t end = first + count; first < end;) {
      const std::size_t m = std::min(stretch - first % stretch, end - first);
      const std::span<T> own(own_.data(), m), out(send_.data(), m), add(add_.data(), m);
      arrays_[k].load_block(first, own);
      const std::span<T> keep(keep_.data(), m);
      k == 0 ? fill_kept(kept, first, keep) : void(std::ranges::fill(keep, state_kept()));
      for (T& x : own) x *= a;
      streams_[k].turn(first, own, keep, out);
      encoder.encode(coordinates(k) + first, out);
      streams_[k].sent(first, own, keep, out, add);
      for (T& x : add) x /= a;
      for (std::size_t i = 0; i < m; i += line) {
        const auto some = add.subspan(i, std::min(line, m - i));
        if (std::ranges::any_of(some, [](T x) { return x != T(0); })) arrays_[k].add_block(first + i, some);
      }
      first += m;
    }
  }

  const param_store& store_;
  message_link& link_;
  std::vector<parameter_group> groups_, state_groups_;
  rank_ring_options options_;
  std::size_t widest_ = 1;
  std::vector<param_view<T, Update>> arrays_;
  std::vector<ring_stream<T>> streams_;
  std::vector<T> keep_, own_all_, part_;
  std::array<T, stretch> own_, send_, add_;

  round_plan round_{};
  known_curvature steep_{};
  std::uint32_t opened_ = 0;         ///< rounds so far: the number in messages
  std::vector<std::uint64_t> rows_;  ///< rows of each rank in this round, as far as known
  std::uint64_t rows_before_ = 0;    ///< of this rank, in earlier rounds
  /// Rows of this rank when gains of each level of the ruler were last taken, and at the current turn.
  std::array<std::uint64_t, levels> taken_{};
  std::uint64_t rows_taken_ = 0;
  round_rows goal_{};
  double scale_ = 1.0;  ///< at its turn
  clock::duration pause_{};
  link_report report_{};

  std::mutex mutex_;
  std::condition_variable news_;
  std::uint64_t turns_ = 0;  ///< in this round
  bool over_ = false;
  bool resting_ = false;          ///< no worker trains
  bool stopped_workers_ = false;  ///< this ring requested the stop
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<rank_ring> make_rank_ring(const param_store& store, message_link& link,
                                          std::vector<parameter_group> groups, const rank_ring_options& options) {
  const auto make = [&]<parameter T>() -> std::unique_ptr<rank_ring> {
    if (options.update == update_kind::exact)
      return std::make_unique<typed_rank_ring<T, update::exact>>(store, link, std::move(groups), options);
    return std::make_unique<typed_rank_ring<T, update::lossy>>(store, link, std::move(groups), options);
  };
  return store.shape().scalar_bytes == sizeof(float) ? make.template operator()<float>()
                                                     : make.template operator()<double>();
}

}  // namespace hogwild::detail
