// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// A group whose members are threads of this process. They read and write each other's spans directly: an all_reduce
/// between two costs about as much as copying the bytes once. The group outlives its members.
class thread_group {
 public:
  /// Throws config_error if `size` is 0.
  explicit thread_group(std::size_t size, const collective_options& options = {});
  ~thread_group();

  std::size_t size() const noexcept;

  /// The member of this rank. Each rank is joined once in the life of the group, by any thread at any time. Throws
  /// config_error if there is no such rank or it has been taken.
  std::unique_ptr<collective> join(std::size_t rank);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
