// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <hogwild/error.hpp>

#include "functions.hpp"
#include "runtime.hpp"

namespace hogwild::nccl {

/// Messages that did not come in time, or could not because of another rank: who is lost, NCCL does not know.
struct unfinished : worker_error {
  using worker_error::worker_error;
};

/// One message, to or from the memory of this rank's device.
struct message {
  std::size_t peer;
  std::byte* at;
  std::size_t bytes;
};

/// This rank's communicator, which never blocks: whatever NCCL does is waited for here, for the timeout at most. Used
/// by one thread at a time. What throws besides `unfinished` is a resource_error: the fault is with this rank's device.
class communicator {
 public:
  /// All ranks at the same time. The device outlives the communicator.
  communicator(const functions& with, device::runtime& on, const unique_id& id, std::size_t rank, std::size_t size,
               std::chrono::nanoseconds timeout);
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  /// Gives the other ranks a second to receive what was sent.
  ~communicator();

  /// Sends and receives all of these at the same time, behind what is queued on the device; returns when this rank's
  /// part in it is over. Between two ranks at most one message goes each way. Those without bytes are left out.
  void exchange(const std::vector<message>& sent, const std::vector<message>& received);

  /// The sum over all ranks takes the place of so many floats of the device, by NCCL's own means: in an order that it
  /// does not promise, so that no collective uses it. It is what those are measured against. All ranks at the same
  /// time; otherwise as exchange().
  void add_up(float* at, std::size_t count);

  /// Takes back what is under way. Nothing can be exchanged after it.
  void abort() noexcept;

 private:
  /// Puts call(stream) into the queue, which returns what NCCL says, and returns when that is over.
  template <class Call>
  void run(Call call, const char* did);
  void check(int result, const char* did) const;
  bool is_settled(const char* did) const;
  template <class Done>
  void wait_until(const Done& done, const char* did) const;

  const functions& nccl_;
  device::runtime& device_;
  std::chrono::nanoseconds timeout_;
  void* comm_ = nullptr;
};

}  // namespace hogwild::nccl
