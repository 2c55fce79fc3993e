// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>

namespace hogwild::detail {

/// Pairs of index and value pay if there is at most one for this many parameters, counted over all ranks, with each
/// list as long as the longest. In common memory a pair, which every rank looks up by itself, costs about as much as 16
/// elements of an array, which all ranks sum together (measured on d = 47,236 and 300,000 with 4 to 256 rows). Over a
/// network it costs as much as the two elements whose size it has.
inline std::size_t pairs_of_parameters(const collective& ranks) {
  return ranks.has_common_memory() ? 16 : 2;
}

/// State of one rank of a synchronous run that lives as long as its group: others may still read it when the rank
/// throws.
struct sync_rank {
  sync_rank(std::unique_ptr<collective> members, std::size_t parameters)
      : ranks(std::move(members)), all_news(2 * ranks->size()), touched(most_pairs(parameters, *ranks)) {}

  /// The most pairs of one rank that can pay; 0 if they cannot.
  static std::size_t most_pairs(std::size_t parameters, const collective& ranks) {
    if (parameters > std::numeric_limits<std::uint32_t>::max()) return 0;
    return parameters / (pairs_of_parameters(ranks) * ranks.size());
  }

  std::unique_ptr<collective> ranks;
  std::array<double, 2> news{};  ///< of this rank: rows since the last meeting, and pairs that it would send
  std::vector<double> all_news;  ///< of all ranks
  touched_list touched;
  std::tuple<std::vector<float>, std::vector<double>> pairs, all_pairs;
};

/// One rank's side of the meetings of a round. All make the same calls, because each decides by the same numbers.
template <parameter T>
class rank_meeting final : public exchange_hook {
 public:
  /// `gathered`: the mean of the gathered gains times `scale` is added to the parameters, unless a receiver takes the
  /// sums. A meeting of fewer rows than the fullest one makes a shorter step, in proportion, so that all rows count
  /// alike. Otherwise all ranks average parameters and state, weighted by rows, for the groups `trained` only, which
  /// are `trained_state` in arrays of state, because a mean of equal numbers is not always the same number.
  rank_meeting(const param_store& mine, std::size_t slot, sync_rank& rank, bool gathered, double scale,
               std::vector<parameter_group> trained, std::vector<parameter_group> trained_state)
      : mine_(mine),
        me_(mine.slots()[slot]),
        rank_(rank),
        ranks_(*rank.ranks),
        gathered_(gathered),
        scale_(scale),
        trained_(std::move(trained)),
        trained_state_(std::move(trained_state)),
        rows_met_(me_.rows.get()),
        pairs_(std::get<std::vector<T>>(rank.pairs)),
        all_pairs_(std::get<std::vector<T>>(rank.all_pairs)) {}

  void exchanged(std::size_t) override { meet(); }
  void ended() override {
    while (meet()) {
    }
  }
  touched_list* touched() override { return in_pairs() && has_room() ? &rank_.touched : nullptr; }
  void set_sum_receiver(void* to, sum_receiver by) override { sums_to_ = to, sum_receiver_ = by; }
  void set_change_receiver(void* to, change_receiver by) override { changes_to_ = to, change_receiver_ = by; }

 private:
  using clock = std::chrono::steady_clock;
  using index_bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  static constexpr double too_many = -1.0;

  /// Pairs suit plain sgd only: an optimiser that remembers gradients moves parameters that no row has touched, too.
  bool in_pairs() const { return gathered_ && sum_receiver_ == nullptr; }
  bool has_room() const { return sync_rank::most_pairs(mine_.shape().parameters, ranks_) > 0; }
  std::span<T> gains() const { return mine_.beside<T>(0); }

  /// Whether any rank has trained rows since the last meeting. A rank that has none left brings none; the round is over
  /// when no rank brings any.
  bool meet() {
    const auto begin = clock::now();
    const std::uint64_t rows = me_.rows.get();
    const auto brought = static_cast<double>(rows - std::exchange(rows_met_, rows));
    rank_.news = {brought, in_pairs() ? pack() : too_many};
    ranks_.all_gather(rank_.news, rank_.all_news);
    double all_rows = 0.0, longest = 0.0;
    bool complete = true;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      all_rows += rank_.all_news[2 * r];
      longest = std::max(longest, pairs_of(r));
      complete = complete && pairs_of(r) != too_many;
    }
    if (all_rows == 0.0) return false;
    most_rows_ = std::max(most_rows_, all_rows);
    if (!gathered_)
      take_mean(brought / all_rows);
    else if (sum_receiver_ != nullptr)
      deliver_sums(1.0 / all_rows, all_rows / most_rows_);
    else if (complete)
      add_pairs(static_cast<std::size_t>(longest), static_cast<T>(scale_ / most_rows_));
    else
      add_arrays(static_cast<T>(scale_ / most_rows_));
    position_ += all_rows;
    me_.meeting_ns.raise(static_cast<std::uint64_t>((clock::now() - begin) / std::chrono::nanoseconds(1)));
    return true;
  }

  double pairs_of(std::size_t r) const { return rank_.all_news[2 * r + 1]; }

  /// Moves the noted gains from their array into pairs; returns how many, or too_many if not all are noted.
  double pack() {
    const std::span<const std::uint32_t> notes = rank_.touched.notes();
    const bool complete = has_room() && rank_.touched.is_complete();
    packed_ = 0;
    if (complete) {
      if (pairs_.size() < 2 * notes.size()) pairs_.resize(2 * notes.size());
      T *const gain = gains().data(), *const to = pairs_.data();
      std::size_t n = 0;
      for (const std::uint32_t j : notes) {
        const T g = gain[j];
        gain[j] = T(0);
        to[2 * n] = std::bit_cast<T>(index_bits{j});
        to[2 * n + 1] = g;
        n += g != T(0);  // a parameter that was noted twice has gain 0 by now
      }
      packed_ = n;
    }
    rank_.touched.clear();
    return complete ? static_cast<double>(packed_) : too_many;
  }

  template <class Visit>
  static void for_pairs(const T* pairs, std::size_t n, const Visit& visit) {
    for (std::size_t i = 0; i < n; ++i)
      visit(static_cast<std::size_t>(std::bit_cast<index_bits>(pairs[2 * i])), pairs[2 * i + 1]);
  }

  /// Adds `gain_weight` times the sum of all ranks' pairs. The sum is taken in the order of the ranks, as for arrays,
  /// with the same bits.
  void add_pairs(std::size_t longest, T gain_weight) {
    pairs_.resize(std::max(pairs_.size(), 2 * longest));
    all_pairs_.resize(std::max(all_pairs_.size(), 2 * longest * ranks_.size()));
    const auto sent = std::span<const T>(pairs_).first(2 * longest);
    ranks_.all_gather(sent, std::span(all_pairs_).first(sent.size() * ranks_.size()));
    T *const w = mine_.parameters<T>().data(), *const sum = gains().data();
    const auto of_all_ranks = [&](const auto& visit) {
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        for_pairs(all_pairs_.data() + r * sent.size(), static_cast<std::size_t>(pairs_of(r)), visit);
    };
    of_all_ranks([=](std::size_t j, T gain) { sum[j] += gain; });
    changed_.clear();
    of_all_ranks([&, w, sum, gain_weight](std::size_t j, T) {
      w[j] += gain_weight * sum[j];
      sum[j] = T(0);
      if (change_receiver_ != nullptr) changed_.push_back(static_cast<std::uint32_t>(j));
    });
    if (!changed_.empty()) change_receiver_(changes_to_, changed_);
    count(me_.sparse_meetings, sent.size());
  }

  void add_arrays(T gain_weight) {
    const std::span<T> w = mine_.parameters<T>(), sum = gains();
    for_pairs(pairs_.data(), packed_, [&](std::size_t j, T gain) { sum[j] = gain; });
    ranks_.all_reduce(sum);
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] += gain_weight * sum[j];
      sum[j] = T(0);
    }
    if (change_receiver_ != nullptr) change_receiver_(changes_to_, {});
    count(me_.dense_meetings, w.size());
  }

  void deliver_sums(double gain_weight, double part) {
    ranks_.all_reduce(gains());
    sum_receiver_(sums_to_, gain_weight, part, position_);
    count(me_.dense_meetings, gains().size());
  }

  void take_mean(double weight) {
    std::size_t handed_over = 0;
    for (std::size_t k = 0; ranks_.size() > 1 && k <= mine_.shape().state_arrays; ++k) {
      const std::span<T> w = k == 0 ? mine_.parameters<T>() : mine_.state<T>(k - 1), sum = mine_.beside<T>(k);
      for (std::size_t j = 0; j < w.size(); ++j) sum[j] = static_cast<T>(weight) * w[j];
      ranks_.all_reduce(sum);
      for (const parameter_group& g : k == 0 ? trained_ : trained_state_)
        std::copy_n(sum.data() + g.offset, g.rows * g.width, w.data() + g.offset);
      handed_over += w.size();
    }
    count(me_.dense_meetings, handed_over);
  }

  void count(published<std::uint64_t>& meetings, std::size_t elements) {
    meetings.raise(1);
    me_.meeting_bytes.raise(elements * sizeof(T));
  }

  const param_store& mine_;
  worker_slot& me_;
  sync_rank& rank_;
  collective& ranks_;
  bool gathered_;
  double scale_;
  std::vector<parameter_group> trained_, trained_state_;
  std::uint64_t rows_met_;
  double position_ = 0.0;   ///< rows of all ranks in past meetings
  double most_rows_ = 0.0;  ///< rows of all ranks in the fullest of them: the first
  void* sums_to_ = nullptr;
  sum_receiver sum_receiver_ = nullptr;
  void* changes_to_ = nullptr;
  change_receiver change_receiver_ = nullptr;
  std::vector<std::uint32_t> changed_;
  std::size_t packed_ = 0;  ///< gains that are in pairs at present, and 0 in their array
  std::vector<T>&pairs_, &all_pairs_;
};

}  // namespace hogwild::detail
