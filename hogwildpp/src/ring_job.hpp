// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/decorated_job.hpp>

namespace hogwild::detail {

/// A job as the workers of a ring do it: each on the parameters of its replica; the plan says
/// how many there are.
class ring_job final : public decorated_job {
 public:
  using decorated_job::decorated_job;
  void work(const worker_context& at) const override;
};

}  // namespace hogwild::detail
