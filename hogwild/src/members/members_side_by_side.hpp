// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/prepare.hpp>

#include "members/member_groups.hpp"
#include "members/member_training.hpp"
#include "run/lane_progress.hpp"

namespace hogwild::detail {

/// Several models that go through the rows together, in groups.
class members_side_by_side final : public member_training {
 public:
  /// Whether lanes support what is asked for; otherwise the models are trained one by one.
  static bool suits(const prepared_task& all, const several_plan& plan);

  /// All arguments outlive it. `mean_counts`: the mean count of the rows of each model of this rank. Finds the steps,
  /// and writes what was found and decided into `run`.
  members_side_by_side(const prepared_task& all, const several_plan& plan, std::span<const double> mean_counts,
                       std::shared_ptr<any_engine> engine, thread_team& team, resolved_run& run, ranks_at_work& ranks);

  bool have_broken_down() const override;
  std::vector<float> parameters(std::size_t model) const override;
  epoch_report counted() const override;
  std::uint64_t rows_done() const override { return counted().examples; }
  void tell_of_workers(train_result& result) const override { groups_->tell_of_workers(result); }
  std::string_view engine() const override { return groups_->engine(); }
  std::size_t workers() const override { return groups_->workers(); }
  std::size_t passes() const override { return groups_->groups(); }

 private:
  struct member {
    double mean = 1.0;        ///< mean count of its rows
    double first_step = 0.0;  ///< given or found, before the engine scales it
    lane_progress progress{};
    double best_loss = unknown, best_objective = unknown;
    std::vector<float> best{};        ///< by its validation loss, or its objective
    std::vector<float> parameters{};  ///< set once it has ended; not for other ranks' models

    /// The step for unscaled weights of the rows; a separate run scales their mean to 1.
    double step(std::size_t epoch) const { return progress.step(epoch) / mean; }
  };

  /// All models begin with several_plan::begin, if there is one. If there are steps, the beginning is measured, because
  /// a model that ends worse has diverged.
  void begin_own() override;
  void put_own(checkpoint& file) const override;
  void take_own(const checkpoint& file) override;
  void train_own(std::size_t epoch) override;
  bool measure_own(std::size_t, bool) override { return true; }  // no request breaks it off
  void settle_own(std::size_t epoch, std::size_t trained) override;
  void end(std::size_t model, run_status how) override;
  void keep_pass() override { groups_->keep_pass(); }
  void take_back_pass() override { groups_->take_back_pass(); }

  struct member_numbers;
  void find_schedules();
  void start_groups(std::shared_ptr<any_engine> engine);
  /// Measures the objective of zeros, before a warm start: for a tolerance about progress, which counts from there.
  void begin_falls();
  std::vector<std::optional<loss_bound>> bounds() const;
  double spread_of_losses_of(std::size_t model) const;

  std::vector<member> members_;  ///< of all ranks
  counts before_{};              ///< of this rank's workers, before the checkpoint from which the run resumes
  std::optional<member_groups> groups_{};
};

}  // namespace hogwild::detail
