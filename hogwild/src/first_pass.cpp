// SPDX-License-Identifier: Apache-2.0
#include <hogwild/first_pass.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hogwild/batch_step.hpp>
#include <hogwild/core/error.hpp>
#include <hogwild/core/param_view.hpp>
#include <hogwild/core/private_memory.hpp>

#include "exchange_ruler.hpp"
#include "provisional_ranks.hpp"

namespace hogwild {
namespace {

using clock = std::chrono::steady_clock;

/// Columns that a pass trains. Arrays have room for all, with what threads keep in reserve; in memory, only as many as
/// occur.
constexpr std::size_t most_columns = std::size_t{1} << 24;
constexpr std::size_t most_threads = 4096;
constexpr std::size_t bias_place = most_columns + most_threads * detail::provisional_ranks::reserve::most;
constexpr std::size_t parameters = bias_place + 1;

void check(const train_options& o) {
  const auto require = [](bool holds, const std::string& reason) {
    if (!holds) throw config_error("training while the text is parsed (overlap) " + reason);
  };
  require(o.step.initial > 0.0, "needs a step size: give one, for it is found only when all rows are there");
  require(!o.reproducible, "depends on which thread parses which rows: it does not go with a reproducible run");
  require(o.optimizer.value_or(optimizer_kind::sgd) == optimizer_kind::sgd, "is for sgd");
  require(o.order == row_order::chunked, "follows the order of the text: it does not go with another order of rows");
  require(o.sharing != sharing_kind::direct, "is done on replicas: it does not go with direct sharing");
  require(o.validation_fraction == 0.0, "would train on the rows that are held back; give a validation file instead");
  require(o.update != update_kind::locked,
          "is done on replicas, which exchange without locks: use lossy or exact updates");
  require(o.shards == sharding::claimed, "trains rows where they are parsed: it does not go with fixed shards");
  require(o.batch <= batch_rows, "trains batches of 1 to " + std::to_string(batch_rows) + " rows");
  require(o.resume.empty(), "is the first epoch of a run: it does not go with one that is resumed");
}

/// A thread's replica, as a sharing that margin_batch_step reads and writes.
class own_array {
 public:
  explicit own_array(std::span<float> values) : values_(values) {}
  std::span<float> values() const { return values_; }

 private:
  std::span<float> values_;
};

struct trainee {
  worker_memory memory;
  std::span<float> work = memory.array<float>(0, 2, parameters), base = memory.array<float>(1, 2, parameters);
  std::vector<std::uint32_t> rank;  ///< of each entry of the rows at hand
  detail::provisional_ranks::reserve reserve;
  detail::exchange_ruler ruler;
  std::size_t entries = 0;  ///< since the last exchange
  std::uint64_t examples = 0;
  batch_outcome outcome{};
  double seconds = 0.0;
};

}  // namespace

class first_pass::work {
 public:
  work(margin_loss loss, label_kind kind, const train_options& options) : loss_(loss), kind_(kind), options_(options) {
    check(options);
    loop_ = {.bias = options.bias ? 1u : 0u,
             .isa = choose_isa(options.isa),
             .batch = static_cast<std::uint32_t>(options.batch > 0 ? options.batch : batch_rows),
             .weight_positive = options.weight_positive};
  }

  void train(const sparse_view& rows, double share) {
    if (!begun(rows, share)) return;
    trainee& me = trainee_here();
    const auto begin = clock::now();
    if (const auto position = place_of(rows.rows())) train(me, rows, static_cast<double>(*position));
    me.seconds += std::chrono::duration<double>(clock::now() - begin).count();
  }

  std::shared_ptr<const trained_pass> finish(const column_numbering& numbering) {
    auto result = std::make_shared<trained_pass>();
    for (const auto& [thread, one] : trainees_) {
      exchange(*one, ranks_.size());
      result->examples += one->examples;
      result->updates += one->outcome.updates;
      result->nonzeros += one->outcome.nonzeros;
      result->train_seconds += one->seconds / static_cast<double>(trainees_.size());
    }
    if (result->examples == 0) return nullptr;
    const auto scale = static_cast<float>(l2_.at(static_cast<double>(position_)));
    for (const std::uint32_t number : numbering.original()) {
      const std::uint32_t rank = ranks_.find(number - 1);
      result->parameters.push_back(rank != detail::provisional_ranks::none ? scale * shared_.load(rank) : 0.0f);
    }
    if (options_.bias) result->parameters.push_back(shared_.load(bias_place));
    return result;
  }

 private:
  /// Whether the labels are known; the first block that shows them also settles l2 and ranks its columns.
  bool begun(const sparse_view& rows, double share) {
    const std::scoped_lock lock(mutex_);
    if (labels_) return true;
    std::set<double> seen;
    if (kind_ == label_kind::binary) {
      for (const double label : rows.label) {
        if (seen.size() < 2) seen.insert(label);
      }
      if (seen.size() < 2) return false;
    }
    const double n = share > 0.0 ? static_cast<double>(rows.rows()) / share : 0.0;
    const double l2 = options_.l2.value_or(n > 0.0 ? 1.0 / n : 0.0);
    if (options_.step.initial * l2 >= 1.0)
      throw config_error("step * l2 is " + std::to_string(options_.step.initial * l2) + "; it must stay below 1");
    l2_.shrink = 1.0 - options_.step.initial * l2;
    if (rows.nonzeros() > 0) ranks_.rank_by_frequency(rows.index.subspan(rows.row_start.front(), rows.nonzeros()));
    labels_.emplace(kind_, std::vector<double>(seen.begin(), seen.end()));
    return true;
  }

  /// How many rows are drawn before these; nothing where l2 would shrink the scale too far on them: there is no gate at
  /// which it could be folded, so that the pass ends there.
  std::optional<std::uint64_t> place_of(std::size_t rows) {
    std::uint64_t position = position_;
    do {
      if (l2_.at(static_cast<double>(position + rows)) < scaled_l2::smallest_scale) return std::nullopt;
    } while (!position_.compare_exchange_weak(position, position + rows));
    return position;
  }

  trainee& trainee_here() {
    const std::scoped_lock lock(mutex_);
    const auto known = trainees_.find(std::this_thread::get_id());
    if (known != trainees_.end()) return *known->second;
    if (trainees_.size() == most_threads)
      throw resource_error("training while the text is parsed (overlap) is for at most " +
                           std::to_string(most_threads) + " threads; read with fewer");
    auto mine = std::make_unique<trainee>();  // which may throw: then there is none
    trainee& made = *trainees_.emplace(std::this_thread::get_id(), std::move(mine)).first->second;
    // Sums of gains overshoot where there are many to sum; twice the mean of them cannot.
    gain_share_ = trainees_.size() <= 2 ? 1.0f : 2.0f / static_cast<float>(trainees_.size());
    return made;
  }

  void train(trainee& me, const sparse_view& rows, double position) {
    if (me.rank.size() < rows.index.size()) me.rank.resize(rows.index.size());
    sparse_view ranked = rows;
    ranked.index = me.rank;
    ranked.columns = bias_place;  // where the step looks for the bias
    margin_batch_step<own_array, std::uint32_t, float> step(own_array(me.work), loss_,
                                                            {*labels_, {}, rows.rows(), loop_}, ranked);
    step.begin({.step = options_.step.initial, .l2 = l2_}, position);
    std::array<std::size_t, batch_rows> batch;
    std::size_t filled = 0;
    const auto flush = [&] {
      if (filled == 0) return;
      const batch_outcome done = step.train_batch({batch.data(), filled});
      me.outcome += done;
      me.examples += filled;
      me.entries += done.nonzeros;
      filled = 0;
      const std::size_t ranks = ranks_.size();
      if (me.entries >= detail::exchange_ruler::period(ranks)) exchange(me, me.ruler.next(ranks));
    };
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      if (!suits(rows, r)) continue;
      const std::uint64_t begin = rows.row_start[r];
      ranks_.rank(rows.index.subspan(begin, rows.row_start[r + 1] - begin), me.rank.data() + begin, me.reserve);
      batch[filled++] = r;
      if (filled == loop_.batch) flush();
    }
    flush();
  }

  bool suits(const sparse_view& rows, std::size_t r) const {
    const std::uint64_t end = rows.row_start[r + 1];
    if (end > rows.row_start[r] && rows.index[end - 1] >= most_columns) return false;
    const auto known = labels_->values();
    return kind_ != label_kind::binary || rows.label[r] == known[0] || rows.label[r] == known[1];
  }

  void exchange(trainee& me, std::size_t prefix) {
    const auto send = [&](const auto& shared) {
      shared.exchange(0, me.work.first(prefix), me.base.first(prefix), gain_share_);
      if (options_.bias) shared.exchange(bias_place, me.work.last(1), me.base.last(1), gain_share_);
    };
    if (options_.update == update_kind::exact)
      send(param_view<float, update::exact>(shared_values_));
    else
      send(shared_);
    me.entries = 0;
  }

  margin_loss loss_;
  label_kind kind_;
  train_options options_;
  loop_options loop_;

  std::mutex mutex_;
  std::optional<label_map> labels_;  // not changed once it is there; nor is l2_
  detail::provisional_ranks ranks_{most_columns};
  scaled_l2 l2_{};
  std::map<std::thread::id, std::unique_ptr<trainee>> trainees_;

  std::atomic<std::uint64_t> position_{0};
  std::atomic<float> gain_share_{1.0f};
  worker_memory memory_;
  std::span<float> shared_values_ = memory_.array<float>(0, 1, parameters);
  param_view<float> shared_{shared_values_};
};

first_pass::first_pass(margin_loss loss, label_kind kind, const train_options& options)
    : work_(std::make_unique<work>(loss, kind, options)) {}

first_pass::~first_pass() = default;

row_listener first_pass::listener() {
  return [this](const sparse_view& rows, double share) { work_->train(rows, share); };
}

std::shared_ptr<const trained_pass> first_pass::finish(const column_numbering& numbering) {
  return work_->finish(numbering);
}

}  // namespace hogwild
