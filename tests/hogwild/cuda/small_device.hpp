// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <hogwild/cuda/engine.hpp>

#include "device_run.hpp"

namespace hogwild::test {

/// cuda_engine with emulated devices whose memory is limited.
struct small_device {
  std::size_t workers = 0;  ///< on the CPU, beside the devices
  std::size_t threads = 2;  ///< of each device
  std::uint64_t memory_bytes = 0;
  std::size_t devices = 1;
};

inline std::size_t plan_sharing(const small_device& engine, run_planner& run) {
  return plan_sharing(
      cuda_engine{.workers = engine.workers, .device = std::vector<int>(engine.devices, emulated_device)}, run);
}

inline std::unique_ptr<engine_run> start(const small_device& engine, const training_task& task, const loop_plan& plan,
                                         const note_function& note) {
  std::vector<std::unique_ptr<device::runtime>> devices;
  for (std::size_t k = 0; k < engine.devices; ++k)
    devices.push_back(device::open_emulated(engine.threads, engine.memory_bytes));
  return device::start_threads(std::move(devices), task, plan, note, [&](const training_task& work) {
    return start(thread_engine{.workers = engine.workers, .team = thread_team_kind::std, .pin = false}, work, plan,
                 note);
  });
}

}  // namespace hogwild::test
