// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/option_values.hpp>

#include "kernel_family.hpp"
#include "runtime.hpp"
#include "training_memory.hpp"

namespace hogwild::device {

/// The shared parameters and optimiser state during a round, if all workers of a run are threads that drive a device
/// each. They lie in the memory of the first device, where kernels of all devices read and add, so that exchanges do
/// not pass through the host. replica.hpp decides which replica exchanges what, and when, as for any other worker.
class common_model {
 public:
  /// Allocates on all devices, which outlive this, as does the store; host memory that is copied is registered unless
  /// that is refused. Throws no_room, and registered_in_part.
  common_model(std::vector<runtime*> devices, const param_store& store);

  /// Whether copied host memory is registered; if not, copies take longer.
  bool is_registered() const { return registered_.has_value(); }

  /// Called between rounds, while no worker trains: take() copies the store's values, give() copies them back.
  void take();
  void give();

  /// The exchange of this worker's device for a round. Used by the worker; all arguments outlive it.
  std::unique_ptr<private_arrays<float>> replica_of(const worker_context& at,
                                                    const std::vector<parameter_group>& groups,
                                                    const device_arrays& own);

 private:
  std::span<float> of_store(std::size_t k) const {
    return k == 0 ? store_.parameters<float>() : store_.state<float>(k - 1);
  }

  std::vector<runtime*> devices_;
  const param_store& store_;
  std::optional<host_registration> registered_{};
  std::vector<buffer<float>> shared_;             ///< array by array
  std::vector<std::vector<buffer<float>>> base_;  ///< of each device: the values at its replica's last exchange
};

/// Why replicas of these devices do not exchange in the memory of the first one; empty: they may. Kernels must reach
/// that memory, for exact updates with additions that are never lost. On no device may it take more than a quarter of
/// the free memory, so that with the replica itself as much is left for rows. Opens access between the devices.
std::string why_not_by_peers(std::span<runtime* const> devices, const store_shape& shape, update_kind update);

}  // namespace hogwild::device
