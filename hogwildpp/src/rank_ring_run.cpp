// SPDX-License-Identifier: Apache-2.0
#include "rank_ring.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/detail/worker/shard_source.hpp>

#include "rank_curvature.hpp"

namespace hogwild::detail {

namespace {

/// The ring as this process's coordinator sees it: a round is over when all ranks together have trained its rows. A
/// faster rank trains some of its rows again; a slower one leaves some out.
class rank_ring_run final : public engine_run {
 public:
  rank_ring_run(std::unique_ptr<engine_run> members, const ring_engine& engine, const training_task& work,
                const loop_plan& plan)
      : members_(std::move(members)),
        task_(work),
        chunks_(plan.chunks),
        ranks_(*engine.ranks),
        curvature_(work, plan.options, agreement(&ranks_)),
        ring_(make_rank_ring(members_->store(), *engine.link, work.facts().groups,
                             {.update = plan.options.update,
                              .scaled = work.facts().scaled,
                              .step_lasts = steps_of_partial(plan.options.optimizer, plan.options.constants),
                              .state_kept = kept_of_state(plan.options.optimizer, engine.ranks->size()),
                              .message_values = engine.message_values,
                              .timeout = engine.timeout})) {}

  std::string_view engine() const override { return "ring"; }
  std::size_t workers() const override { return members_->workers(); }
  const param_store& store() const override { return members_->store(); }

  void get_ready() override {
    detail::require_same_beginning(store().state_of_training(), agreement(&ranks_));
    members_->get_ready();
  }

  void run_round() override {
    const auto rows = rows_of_round();
    if (rows.all == 0) {  // there are more parts than chunks
      scale_after_ = store().control().round.l2.scale;
      return close_round(store(), chunks_);
    }
    scale_after_ = 1.0;
    // A part begins with a whole chunk, at another row on other ranks: the scale begins at this rank's position.
    store().control().round.l2.position =
        static_cast<double>(store().control().drawn.next() * chunks_.rows_per_chunk());
    ring_->open(store().control().round, rows, curvature_.at(store()));
    try {
      for (members_->run_round(); !ring_->wait_for_end(); members_->run_round()) open_another_pass();
      members_->settle();
    } catch (...) {
      ring_->abandon();
      throw;
    }
    ring_->merge(ranks_);
    close_round(store(), chunks_);
  }

  void settle() override { members_->settle(); }
  thread_team& helpers() override { return members_->helpers(); }
  std::size_t replaced() const override { return members_->replaced(); }
  std::uint64_t rows_lost() const override { return members_->rows_lost(); }
  std::optional<double> scale_after_round() const override { return scale_after_; }
  std::optional<ring_report> ring() const override { return members_->ring(); }
  std::optional<link_report> link() const override { return ring_->report(); }

 private:
  /// A rank counts for at most so many times its own rows: a rank with few rows must not replace one with many.
  static constexpr double most_passes = 1.5;

  std::uint64_t rows_of_part(std::uint32_t part) const {
    round_plan round = store().control().round;
    round.part = part;
    std::uint64_t chunks = 0;
    for (std::uint32_t i = 0; i < round.shards; ++i)
      chunks += shard_source::part_of(shard::part(chunks_.count(), shard_id(i), round.shards), round).size();
    return std::min<std::uint64_t>(chunks * chunks_.rows_per_chunk(), task_.data().rows());
  }
  round_rows rows_of_round() {
    const round_plan& round = store().control().round;
    if (rows_of_parts_.size() != round.parts) {  // all ranks have the same rounds
      rows_of_parts_.resize(round.parts);
      for (std::uint32_t part = 0; part < round.parts; ++part)
        rows_of_parts_[part] = static_cast<double>(rows_of_part(part));
      agreement(&ranks_).sum(rows_of_parts_);
    }
    const std::uint64_t here = rows_of_part(round.part);
    return {.all = static_cast<std::uint64_t>(rows_of_parts_[round.part]),
            .most_here = static_cast<std::uint64_t>(most_passes * static_cast<double>(here))};
  }

  /// Opens the same rows in another order. The scale goes on from its present value.
  void open_another_pass() {
    round_plan round = store().control().round;
    const auto here = static_cast<double>(rows_of_part(round.part));
    round.l2.scale = round.l2.at(round.l2.position + here);
    round.pass += std::uint64_t{1} << 32;
    open_round(store(), chunks_, round);
  }

  std::unique_ptr<engine_run> members_;
  const training_task& task_;
  chunk_plan chunks_;
  collective& ranks_;
  rank_curvature curvature_;
  std::unique_ptr<rank_ring> ring_;
  std::vector<double> rows_of_parts_;  ///< of each part of an epoch, over all ranks
  double scale_after_ = 1.0;
};

}  // namespace

std::unique_ptr<engine_run> join_ranks(std::unique_ptr<engine_run> members, const ring_engine& engine,
                                       const training_task& work, const loop_plan& plan) {
  return std::make_unique<rank_ring_run>(std::move(members), engine, work, plan);
}

}  // namespace hogwild::detail
