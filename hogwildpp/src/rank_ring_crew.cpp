// SPDX-License-Identifier: Apache-2.0
#include "rank_ring_crew.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <hogwild/agreement.hpp>
#include <hogwild/column_counts.hpp>
#include <hogwild/rounds.hpp>

#include "rank_ring.hpp"

namespace hogwild::detail {

namespace {

/// How flat the mean loss is along each parameter. The steepest direction of all is known; its curvature is given to the
/// heaviest column, and others have theirs in proportion to their mean squares.
std::vector<float> inverse_curvature(const job& work) {
  const double steepest = work.options().exchange.curvature;
  const auto flattest = std::numeric_limits<float>::infinity();
  std::vector<float> inverse(work.parameters(), steepest > 0.0 ? static_cast<float>(1.0 / steepest) : flattest);
  if (!(steepest > 0.0)) return inverse;
  work.data().ensure(0, work.data().rows());
  const std::vector<double> squares = column_squares(work.data());
  const double heaviest = squares.empty() ? 0.0 : *std::ranges::max_element(squares);
  for (const parameter_group& g : work.groups()) {
    if (!g.hot_first || g.rows != squares.size()) continue;  // not of columns
    for (std::size_t j = 0; j < g.rows; ++j) {
      const float x = squares[j] > 0.0 ? static_cast<float>(heaviest / squares[j] / steepest) : flattest;
      std::fill_n(inverse.begin() + static_cast<std::ptrdiff_t>(g.offset + j * g.width), g.width, x);
    }
  }
  return inverse;
}

/// As the coordinator of this process sees the ring: a round is over when all ranks together have trained its rows. Who
/// is faster trains some rows of its own again; who is slower leaves some out.
class rank_ring_crew final : public crew {
 public:
  rank_ring_crew(std::unique_ptr<crew> members, const ring_engine& engine, const job& work)
      : members_(std::move(members)),
        job_(work),
        ranks_(*engine.ranks),
        ring_(make_rank_ring(members_->store(), *engine.link, work.groups(),
                             {.update = work.options().update,
                              .rows = work.all_rows(),
                              .inverse_curvature = inverse_curvature(work),
                              .messages = engine.messages})) {}

  std::string_view engine() const override { return "ring"; }
  std::size_t workers() const override { return members_->workers(); }
  const param_store& store() const override { return members_->store(); }

  void start() override {
    // What training begins with: made by every rank for itself, from the same seed or its own checkpoint.
    agreement(&ranks_).require_equal(store().state_of_training(), "parameters to begin with");
    members_->start();
  }

  void run_round() override {
    ring_->open(store().control().round);
    try {
      for (members_->run_round(); !ring_->wait_for_end(); members_->run_round()) open_another_pass();
      members_->settle();
    } catch (...) {
      ring_->abandon();
      throw;
    }
    ring_->merge(ranks_);
    close_round(store(), job_.plan());
  }

  void settle() override { members_->settle(); }
  team& helpers() override { return members_->helpers(); }
  std::size_t replaced() const override { return members_->replaced(); }
  std::uint64_t rows_lost() const override { return members_->rows_lost(); }
  std::optional<ring_report> ring() const override { return members_->ring(); }
  std::optional<link_report> link() const override { return ring_->report(); }

 private:
  /// The same rows in another order. The scale is where it would be after all rows.
  void open_another_pass() {
    const double rows = static_cast<double>(job_.all_rows());
    round_plan round = store().control().round;
    const double end = rows * (round.part + 1) / round.parts;
    round.l2 = {.scale = round.l2.at(end)};
    round.pass += std::uint64_t{1} << 32;
    open_round(store(), job_.plan(), round);
  }

  std::unique_ptr<crew> members_;
  const job& job_;
  collective& ranks_;
  std::unique_ptr<rank_ring> ring_;
};

}  // namespace

std::unique_ptr<crew> join_ranks(std::unique_ptr<crew> members, const ring_engine& engine, const job& work) {
  return std::make_unique<rank_ring_crew>(std::move(members), engine, work);
}

}  // namespace hogwild::detail
