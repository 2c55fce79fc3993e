// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <hogwild/collective.hpp>
#include <hogwild/decorated_job.hpp>

#include "rank_meeting.hpp"

namespace hogwild::detail {

/// How long ranks of such a run wait for each other.
std::chrono::nanoseconds timeout_of(const loop_options& options);

/// A job as the ranks of a synchronous engine do it: each on parameters of its own, meeting the others in between.
class sync_job final : public decorated_job {
 public:
  /// For all ranks of this process, which `members` has in their order; `whole` must outlive this.
  sync_job(const job& whole, std::vector<std::unique_ptr<collective>> members);
  /// For the one that a process is.
  sync_job(std::unique_ptr<job> whole, std::unique_ptr<collective> member);

  /// Throws what befell the rank; those that lose it thereby throw worker_error.
  void work(const worker_context& at) const override;
  /// What befell the first rank that failed; nothing while all is well.
  std::exception_ptr failure() const;

 private:
  std::vector<parameter_group> trained_groups() const;
  void fail(sync_rank& rank, std::exception_ptr what, const std::string& text) const;

  std::vector<std::unique_ptr<sync_rank>> ranks_;  ///< by slot, each used by its own worker alone
  mutable std::mutex mutex_;
  mutable std::exception_ptr failure_;
};

}  // namespace hogwild::detail
