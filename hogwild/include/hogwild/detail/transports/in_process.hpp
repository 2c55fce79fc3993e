// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <hogwild/detail/transports/message_link.hpp>

namespace hogwild {

/// A ring of threads of this process, for tests and for trying a program without a launcher. Each thread joins with a
/// rank of its own; the ring outlives its members.
class thread_ring {
 public:
  /// Throws config_error if there are no ranks.
  explicit thread_ring(std::size_t ranks);
  ~thread_ring();

  /// The member for this rank, which must be below the number of ranks (else config_error) and is joined once. When a
  /// member is gone, its neighbours find it lost once they have read its messages.
  std::unique_ptr<message_link> join(std::size_t rank);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
