// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/sharing/touched_list.hpp>

namespace hogwild {

/// The other replicas of a model, as a worker sees them whose shared arrays are themselves one replica of several.
/// Belongs to one worker.
class exchange_hook {
 public:
  /// Whether the worker, which has trained long enough, may exchange with the shared arrays now; else it trains on and
  /// asks again one of so many looks a period later.
  virtual bool may_exchange() { return true; }
  static constexpr std::size_t polls_per_period = 16;
  /// Now the worker's replica may exchange with others: the worker has exchanged with it, or trained on it long enough.
  /// `bytes` it has read and written for that.
  virtual void exchanged(std::size_t bytes) = 0;
  /// The worker has no more rows in this round.
  virtual void ended() {}
  /// Where the worker notes the parameters for which it gathers gains, so that not all have to be looked at when it
  /// meets the others; null: nobody asks.
  virtual touched_list* touched() { return nullptr; }
  /// In lockstep, where what all have gathered is summed up: from now on it is not added to the parameters, but
  /// by(to, 1 / rows, position) is called with the sums in the array of gains, which it has to clear. `rows`: that the
  /// sums are of; `position`: of the round, by then.
  using sum_receiver = void (*)(void* to, double gain_weight, double position);
  virtual void set_sum_receiver(void*, sum_receiver) {}
  /// In lockstep: from now on by(to, changed) is called when the sums of all have been added to the parameters, with
  /// the numbers of those that may have changed, some perhaps twice; none: all may have.
  using change_receiver = void (*)(void* to, std::span<const std::uint32_t> changed);
  virtual void set_change_receiver(void*, change_receiver) {}

 protected:
  ~exchange_hook() = default;
};

}  // namespace hogwild
