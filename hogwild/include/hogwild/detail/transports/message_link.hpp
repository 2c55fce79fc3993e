// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace hogwild {

/// One rank's two ends of a ring of processes: messages go to the next rank and come from the one before, whole and in
/// order. Used by one thread at a time, which need not be the one that uses a collective of the same ranks.
///
/// Nothing here waits for ever: if a message cannot be delivered within the timeout that the link was made with, the
/// next call throws.
class message_link {
 public:
  message_link(const message_link&) = delete;
  message_link& operator=(const message_link&) = delete;
  virtual ~message_link() = default;

  virtual std::size_t rank() const noexcept = 0;  ///< below size()
  virtual std::size_t size() const noexcept = 0;  ///< at least 1; a single rank is its own next rank

  /// Sends a message to the next rank and returns without waiting for it. Throws worker_error if that rank is lost or
  /// has not taken earlier messages in time.
  virtual void send(std::vector<std::byte> message) = 0;

  /// The next message from the rank before; nothing if none has come within `wait`. Throws worker_error if that rank is
  /// lost, or if the rest of a message does not come in time after its head.
  virtual std::optional<std::vector<std::byte>> receive(std::chrono::nanoseconds wait) = 0;

 protected:
  message_link() = default;
};

}  // namespace hogwild
