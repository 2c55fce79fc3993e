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

/// Messages did not come in time, or another rank prevented them: NCCL does not know which rank is lost.
struct unfinished : worker_error {
  using worker_error::worker_error;
};

/// One message, to or from the memory of this rank's device.
struct message {
  std::size_t peer;
  std::byte* at;
  std::size_t bytes;
};

/// This rank's communicator, which never blocks: NCCL's operations are waited for here, at most for the timeout. Used
/// by one thread at a time. Exceptions other than `unfinished` are resource_error: the fault is with this rank's
/// device.
class communicator {
 public:
  /// All ranks construct it at the same time. The device outlives the communicator.
  communicator(const functions& with, device::runtime& on, const unique_id& id, std::size_t rank, std::size_t size,
               std::chrono::nanoseconds timeout);
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  /// Gives the other ranks a second to receive what was sent.
  ~communicator();

  /// Sends and receives all of these at the same time, after queued work on the device; returns when this rank's part
  /// in it is done. Between two ranks at most one message goes each way. Messages without bytes are left out.
  void exchange(const std::vector<message>& sent, const std::vector<message>& received);

  /// Replaces `count` floats of the device by their sum over all ranks, by NCCL's own all-reduce. Its order is not
  /// fixed, so that no collective uses it; it is the baseline in measurements. All ranks call it at the same time;
  /// otherwise like exchange().
  void add_up(float* at, std::size_t count);

  /// Cancels what is under way. Nothing can be exchanged after it.
  void abort() noexcept;

 private:
  /// Queues call(stream), which returns NCCL's result code, and returns when the operation is done.
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
