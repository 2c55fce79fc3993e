// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/sharing/touched_list.hpp>

namespace hogwild {

/// How a worker whose shared arrays are one replica of several exchanges with the other replicas. Belongs to one
/// worker.
class exchange_hook {
 public:
  /// Whether the worker, whose period is over, may exchange with the shared arrays now. If not, it trains on and asks
  /// again after a fraction of a period.
  virtual bool may_exchange() { return true; }
  static constexpr std::size_t polls_per_period = 16;
  /// Called when the worker has exchanged with its replica, or trained on it long enough: the replica may now exchange
  /// with others. `bytes`: how much the worker read and wrote for that.
  virtual void exchanged(std::size_t bytes) = 0;
  /// Called when the worker has no more rows in this round.
  virtual void ended() {}
  /// Where the worker notes the parameters for which it gathers gains, so that a meeting need not scan all of them;
  /// null: nowhere.
  virtual touched_list* touched() { return nullptr; }
  /// In lockstep, if the gathered gains are summed: from now on the sums are not added to the parameters. Instead
  /// by(to, 1 / rows, part, position) is called with the sums in the array of gains, which it has to clear. `rows`:
  /// rows in the sums; `part`: divided by the rows of the round's fullest meeting; `position`: position in the round.
  using sum_receiver = void (*)(void* to, double gain_weight, double part, double position);
  virtual void set_sum_receiver(void*, sum_receiver) {}
  /// In lockstep: from now on by(to, changed) is called when the sums have been added to the parameters, with the
  /// numbers of parameters that may have changed, some perhaps twice; empty: any may have changed.
  using change_receiver = void (*)(void* to, std::span<const std::uint32_t> changed);
  virtual void set_change_receiver(void*, change_receiver) {}

 protected:
  ~exchange_hook() = default;
};

}  // namespace hogwild
