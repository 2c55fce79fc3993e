// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "members/member_training.hpp"

namespace hogwild::detail {

/// Several models that are trained by separate runs of one worker each, an epoch at a time, as many at a time as a team
/// has threads.
class members_one_by_one final : public member_training {
 public:
  /// For notes and messages.
  static constexpr std::string_view description =
      "the models are trained one by one, each by one worker (shards, optimizers other than sgd, the schedules plateau "
      "and linear, l2 in two passes, averages)";

  /// All arguments outlive it. Finds the steps, and writes what was found into `run`. Throws config_error for options
  /// that have no meaning for runs of one worker.
  members_one_by_one(const prepared_task& all, const several_plan& plan, thread_team& team, resolved_run& run,
                     ranks_at_work& ranks);
  ~members_one_by_one() override;

  bool have_broken_down() const override;
  std::vector<float> parameters(std::size_t model) const override;
  epoch_report counted() const override;
  std::uint64_t rows_done() const override { return rows_done_.load(); }
  void tell_of_workers(train_result&) const override {}  // they neither exchange nor are replaced
  std::string_view engine() const override { return plan_.workers > 1 ? "threads" : "serial"; }
  std::size_t workers() const override { return team_.size(); }
  std::size_t passes() const override { return plan_.rows == member_rows_kind::shards ? 1 : plan_.models; }

 private:
  struct own_run;
  struct member {
    std::unique_ptr<own_run> trains{};  ///< until it ends
    std::vector<float> before{};        ///< its parameters before the pass, if a stop may break that off
    counts counted{};
    std::vector<float> parameters{};  ///< once it has ended
  };

  /// The checkpoints of this rank's models; null for those that have ended, which then have their parameters.
  std::vector<std::shared_ptr<const resumed_checkpoint>> resumed_members();

  void begin_own() override;
  void put_own(checkpoint& file) const override;
  /// They have taken their states when they were made; checks that the standings agree with them.
  void take_own(const checkpoint& file) override;
  /// Calls work(k, member) for each of this rank's models that trains, by all threads.
  template <class Work>
  void for_those_that_train(const Work& work);
  void train_own(std::size_t epoch) override;
  bool measure_own(std::size_t epoch, bool measured) override;
  void settle_own(std::size_t epoch, std::size_t trained) override;
  void end(std::size_t model, run_status how) override;
  void end_rest() override;
  void keep_pass() override;
  void take_back_pass() override;

  std::vector<member> members_;  ///< of this rank
  std::atomic<std::uint64_t> rows_done_ = 0;
};

}  // namespace hogwild::detail
