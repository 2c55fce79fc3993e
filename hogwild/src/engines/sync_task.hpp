// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/task/decorated_task.hpp>

#include "sharing/rank_meeting.hpp"

namespace hogwild::detail {

/// How long the ranks of a synchronous run wait for each other.
std::chrono::nanoseconds timeout_of(const loop_options& options);

/// A task as trained by the ranks of a synchronous engine: each on its own parameters, with meetings in between.
class sync_task final : public decorated_task {
 public:
  /// For all ranks of this process; `members` are in the order of the ranks. `whole` must outlive this.
  sync_task(const training_task& whole, std::vector<std::unique_ptr<collective>> members);
  /// For a process that is one rank.
  sync_task(std::unique_ptr<training_task> whole, std::unique_ptr<collective> member);

  /// Throws the error of the rank; the other ranks, which have then lost it, throw worker_error.
  void work(const worker_context& at) const override;
  /// The error of the first rank that failed; null if none has.
  std::exception_ptr failure() const;

 private:
  std::vector<parameter_group> trained(const std::vector<parameter_group>& all) const;
  void fail(sync_rank& rank, std::exception_ptr what, const std::string& text) const;

  std::vector<std::unique_ptr<sync_rank>> ranks_;  ///< by slot; each is used only by its own worker
  mutable std::mutex mutex_;
  mutable std::exception_ptr failure_;
};

}  // namespace hogwild::detail
