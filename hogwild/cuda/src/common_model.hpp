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

/// The shared parameters and optimiser state of a run all of whose workers are threads that drive a device each, for as
/// long as a round lasts: in the memory of the first device, where kernels of all of them read and add. Of an
/// exchange nothing then passes through the host. Which replica exchanges what, and when, is decided as for any other
/// worker (replica.hpp).
class common_model {
 public:
  /// Makes room on all of them, which outlive this, as does the store; memory that is copied is registered where
  /// that is not refused. Throws no_room where there is none, and registered_in_part.
  common_model(std::vector<runtime*> devices, const param_store& store);

  /// Else copies take longer.
  bool is_registered() const { return registered_.has_value(); }

  /// Between rounds, while no worker trains: the store's values are taken, or given to it.
  void take();
  void give();

  /// What the arrays of this worker's device meet in a round. Used by the worker; all outlive it.
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
  std::vector<std::vector<buffer<float>>> base_;  ///< of each device: what its replica saw last
};

/// Why replicas of these devices do not meet in the memory of the first one; empty: they may. Kernels have to reach it,
/// for exact updates by additions of which none is lost; and on no device may it take more than a quarter of what is
/// free, so that with the replica itself as much is left for rows. Opens the ways there.
std::string why_not_by_peers(std::span<runtime* const> devices, const store_shape& shape, update_kind update);

}  // namespace hogwild::device
