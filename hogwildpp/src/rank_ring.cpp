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

#include <hogwild/core/error.hpp>
#include <hogwild/core/param_view.hpp>
#include <hogwild/job.hpp>
#include <hogwild/sharing/ruler.hpp>
#include <hogwildpp/delta_message.hpp>
#include <hogwildpp/ring_stream.hpp>

namespace hogwild::detail {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::uint32_t round_ends = 1, stop_asked = 2;  ///< flags of a message

/// A turn may take this share of the time: its thread has no CPU of its own.
constexpr int pause_per_turn = 19;
constexpr auto longest_pause = 20ms;
/// Between two looks whether the round was taken away.
constexpr auto look_around = 50ms;

template <parameter T, class Update>
class typed_rank_ring final : public rank_ring {
 public:
  typed_rank_ring(const param_store& store, transport& link, std::vector<parameter_group> groups,
                  const rank_ring_options& options)
      : store_(store),
        link_(link),
        groups_(std::move(groups)),
        options_(options),
        flat_(options.inverse_curvature.begin(), options.inverse_curvature.end()),
        keep_(std::max(flat_.size(), stretch)),
        rows_(link.size()) {
    std::ranges::sort(groups_, {}, &parameter_group::offset);
    for (const parameter_group& g : groups_) widest_ = std::max(widest_, g.width);
    for (std::size_t k = 0; k <= store.shape().state_arrays; ++k) {
      arrays_.emplace_back(k == 0 ? store.parameters<T>() : store.state<T>(k - 1));
      streams_.emplace_back(store.shape().parameters);
    }
  }
  ~typed_rank_ring() override { abandon(); }

  void open(const round_plan& round) override {
    round_ = round;
    ++opened_;
    over_ = false;
    turns_ = 0;
    rows_before_ = rows_here();
    std::ranges::fill(rows_, 0);
    rows_at_turn_ = rows_here_at_turn_ = 0;
    for (std::size_t k = 0; k < arrays_.size(); ++k) streams_[k].begin(stored(k));
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  bool wait_for_end() override {
    std::unique_lock lock(mutex_);
    // A message that comes after one whole lap was sent on by everybody after this rank had finished.
    const std::uint64_t lap_later = turns_ + 2;
    news_.wait(lock, [&] { return over_ || turns_ >= lap_later; });
    if (over_ && failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return over_;
  }

  void merge(collective& ranks) override {
    thread_ = {};
    const auto rows = static_cast<double>(rows_of_round() - rows_here_at_turn_);
    const auto kept = kept_gains::of(round_.step, rows, link_.size());
    const bool is_last = link_.rank() + 1 == link_.size();
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      part_.resize(stored(k).size());
      fill_kept(kept, k, 0, flat_.size());
      streams_[k].bring(stored(k), keep_, is_last, part_);
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

  std::span<T> stored(std::size_t k) const { return k == 0 ? store_.parameters<T>() : store_.state<T>(k - 1); }

  std::uint64_t rows_here() const {
    std::uint64_t rows = 0;
    for (const worker_slot& slot : store_.slots()) rows += slot.rows.get();
    return rows;
  }
  std::uint64_t rows_of_round() const { return rows_here() - rows_before_; }
  std::uint64_t rows_of_all() const { return std::accumulate(rows_.begin(), rows_.end(), std::uint64_t{0}); }

  /// What parameters [first, first + n) of array k keep of their gains; what optimisers sum up is summed.
  void fill_kept(const kept_gains& kept, std::size_t k, std::size_t first, std::size_t n) {
    if (k > 0) return void(std::fill_n(keep_.begin(), n, T(1)));
    for (std::size_t i = 0; i < n; ++i) keep_[i] = kept(flat_[first + i]);
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
        const auto waited = clock::now();
        const auto head = next_message(generation - 1, stop);
        if (!head) return;
        report_.waited_seconds += std::chrono::duration<double>(clock::now() - waited).count();
        flags = head->flags;
      }
      const auto begin = clock::now();
      rows_[link_.rank()] = rows_of_round();
      if (store_.control().stopping()) flags |= stop_asked;
      if (link_.rank() == 0 && ((flags & stop_asked) != 0 || static_cast<double>(rows_of_all()) >= rows_of_part()))
        flags |= round_ends;
      if ((flags & round_ends) != 0) {
        if (link_.rank() + 1 < link_.size()) send(generation, flags, 0);
        return;
      }
      const std::size_t prefix = ruler_prefix(generation / link_.size() + 1, widest_);
      send(generation, flags, prefix);
      const auto took = clock::now() - begin;
      report_.held_seconds += std::chrono::duration<double>(took).count();
      ++report_.exchanges;
      pause_ = std::min<clock::duration>(pause_per_turn * took, longest_pause);
      const std::scoped_lock lock(mutex_);
      ++turns_;
      news_.notify_all();
    }
  }

  double rows_of_part() const { return static_cast<double>(options_.rows) / round_.parts; }

  /// Takes in the message with the token; nothing where the round is taken away.
  std::optional<delta_header> next_message(std::uint64_t generation, const std::stop_token& stop) {
    const auto begin = clock::now();
    while (!stop.stop_requested()) {
      const auto message = link_.receive(look_around);
      if (!message) {
        if (clock::now() - begin > options_.messages.patience) too_late();
        continue;
      }
      const std::string name = "a message of rank " + std::to_string(before());
      delta_decoder<T> decoder(*message, arrays_.size() * store_.shape().parameters, name);
      const delta_header& head = decoder.header();
      if (head.round < opened_ || (head.round == opened_ && head.generation < generation)) continue;  // dead
      if (head.round != opened_ || head.generation != generation || head.rows.size() != rows_.size()) {
        throw worker_error(name + " is of turn " + std::to_string(head.generation) + " in round " +
                           std::to_string(head.round) + " of " + std::to_string(head.rows.size()) +
                           " ranks, but turn " + std::to_string(generation) + " in round " + std::to_string(opened_) +
                           " of " + std::to_string(rows_.size()) + " is due: all ranks have to run the same program");
      }
      const std::size_t n = store_.shape().parameters;
      decoder.for_each([&](std::uint64_t j, T d) { streams_[j / n].take_in(j % n, d); });
      for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r] = std::max(rows_[r], head.rows[r]);
      // The longer a turn waits here, the fresher is what it sends on.
      std::this_thread::sleep_for(pause_);
      return head;
    }
    return std::nullopt;
  }

  std::size_t before() const { return (link_.rank() + link_.size() - 1) % link_.size(); }

  [[noreturn]] void too_late() const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.messages.patience).count();
    throw worker_error("nothing has come from rank " + std::to_string(before()) + " for " + std::to_string(seconds) +
                       " s: it, or one before it on the ring, is lost, stopped or out of reach; look there, and go on "
                       "with --resume where there is a checkpoint");
  }

  /// Sends the token on, with what a turn over so many ranks of each group has to tell; 0: nothing.
  void send(std::uint64_t generation, std::uint32_t flags, std::size_t prefix) {
    std::vector<std::byte> message;
    const std::size_t n = store_.shape().parameters;
    delta_encoder<T> encoder(message, {.values = options_.messages.values,
                                       .generation = generation,
                                       .round = opened_,
                                       .flags = flags,
                                       .coordinates = arrays_.size() * n,
                                       .prefix = prefix,
                                       .rows = rows_});
    if (prefix > 0) {
      const double rows = static_cast<double>(rows_of_all() - rows_at_turn_) / static_cast<double>(link_.size());
      const auto kept = kept_gains::of(round_.step, rows, link_.size());
      rows_at_turn_ = rows_of_all();
      rows_here_at_turn_ = rows_[link_.rank()];
      for (std::size_t k = 0; k < arrays_.size(); ++k) {
        for (const parameter_group& g : groups_)
          turn(encoder, k, g.offset, (g.hot_first ? std::min(g.rows, prefix) : g.rows) * g.width, kept);
      }
    }
    encoder.finish();
    report_.bytes += message.size();
    link_.send(std::move(message));
  }

  void turn(delta_encoder<T>& encoder, std::size_t k, std::size_t first, std::size_t count, const kept_gains& kept) {
    const std::size_t n = store_.shape().parameters;
    for (const std::size_t end = first + count; first < end;) {
      const std::size_t m = std::min(stretch - first % stretch, end - first);
      const std::span<T> own(own_.data(), m), out(send_.data(), m), add(add_.data(), m);
      arrays_[k].load_block(first, own);
      fill_kept(kept, k, first, m);
      streams_[k].turn(first, own, std::span(keep_).first(m), out, add);
      if (encoder.encode(k * n + first, out) > 0) streams_[k].sent(first, out);
      for (std::size_t i = 0; i < m; i += line) {
        const auto some = add.subspan(i, std::min(line, m - i));
        if (std::ranges::any_of(some, [](T x) { return x != T(0); })) arrays_[k].add_block(first + i, some);
      }
      first += m;
    }
  }

  const param_store& store_;
  transport& link_;
  std::vector<parameter_group> groups_;
  rank_ring_options options_;
  std::size_t widest_ = 1;
  std::vector<param_view<T, Update>> arrays_;
  std::vector<ring_stream<T>> streams_;
  std::vector<T> flat_;  ///< of each parameter the inverse of its curvature
  std::vector<T> keep_, part_;
  std::array<T, stretch> own_, send_, add_;

  round_plan round_{};
  std::uint32_t opened_ = 0;         ///< rounds so far: the number that messages bear
  std::vector<std::uint64_t> rows_;  ///< of this round, of each rank, as far as is known
  std::uint64_t rows_before_ = 0;    ///< of this rank, in earlier rounds
  std::uint64_t rows_at_turn_ = 0;   ///< of all ranks, at this rank's last turn
  std::uint64_t rows_here_at_turn_ = 0;
  clock::duration pause_{};
  link_report report_{};

  std::mutex mutex_;
  std::condition_variable news_;
  std::uint64_t turns_ = 0;  ///< in this round
  bool over_ = false;
  bool stopped_workers_ = false;  ///< the stop request is this ring's
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<rank_ring> make_rank_ring(const param_store& store, transport& link,
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
