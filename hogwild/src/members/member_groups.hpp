// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/result.hpp>

namespace hogwild::detail {

/// Any number of models on the same rows, trained in groups that go through the rows together (lane_run). Either all
/// workers train one group after the other, or each worker has groups of its own, which is faster and repeats to the
/// bit. The latter is used if there are enough models and no sharing was asked for, and in a reproducible run.
class member_groups {
 public:
  /// `all`: one of the models, which outlives this, as does `team`, whose threads are the workers. All models begin
  /// with zeros. `largest_step` and `tried` as in lane_run. `may_own`: several_plan::own_models.
  member_groups(const prepared_task& all, std::vector<lane_settings> of_models, double largest_step,
                const training_task* tried, std::shared_ptr<any_engine> engine, bool may_own, thread_team& team);

  /// The model begins again with this true w.
  void begin_with(std::size_t model, std::span<const float> w);

  /// The model goes on from the state that kept() returned.
  void go_on_with(std::size_t model, const lane_kept& from);
  lane_kept kept(std::size_t model) const;

  /// A found step, scaled by lane_run::scaling().
  double scaled_step(double found) const;

  /// A pass of all models that are not cleared, with a step for each; a stop may break it off. Constant terms are moved
  /// apart from it.
  void train(std::size_t pass, std::span<const double> steps, const std::stop_token& stop);
  /// Moves the constant terms of all models that are not cleared to where their losses are least.
  void minimise_constants();
  /// Ends a pass: either all models keep its result, or all return to their state before it, for a pass that a stop may
  /// have broken off.
  void keep_pass() { before_.clear(); }
  void take_back_pass();

  /// Each model's results on all training rows, and on the validation rows if there are any.
  struct measured {
    double loss = 0.0, penalty = 0.0;  ///< not numbers for a model that was cleared
    std::optional<measurement> validation{};
  };
  std::vector<measured> measure();

  std::vector<float> parameters(std::size_t model) const;
  void clear(std::size_t model);

  /// Rows that workers passed so far, and their counts.
  epoch_report counted() const;
  /// Fills in how the workers fared, and statistics of their exchanges.
  void tell_of_workers(train_result& result) const;
  std::size_t groups() const { return groups_.size(); }
  const loop_plan& plan() const { return groups_.front().run->plan(); }
  std::string_view engine() const;
  std::size_t workers() const;
  bool are_of_workers() const { return own_; }

 private:
  struct group {
    std::size_t first = 0, count = 0;
    std::unique_ptr<lane_run> run{};
  };
  std::size_t most_in_group(std::size_t models) const;
  const group& of(std::size_t model) const;
  template <class F>
  void for_groups(const F& f);

  const prepared_task& all_;
  std::vector<lane_settings> settings_;
  thread_team& team_;
  bool own_;
  std::vector<group> groups_{};
  std::vector<lane_run::all_kept> before_{};  ///< from before the current pass
};

/// Calls work(k) for each k below `count`, by all threads of the team.
template <class Work>
void by_threads(thread_team& team, std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  team.run([&](std::size_t) {
    for (std::size_t k; (k = next++) < count;) work(k);
  });
}

}  // namespace hogwild::detail
