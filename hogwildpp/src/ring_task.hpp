// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/task/decorated_task.hpp>

namespace hogwild::detail {

/// A task as the workers of a ring train it: each on the parameters of its replica; the plan says how many there are.
class ring_task final : public decorated_task {
 public:
  using decorated_task::decorated_task;
  void work(const worker_context& at) const override;
};

}  // namespace hogwild::detail
