// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <hogwild/cuda/engine.hpp>

#include "device_run.hpp"

namespace hogwild::test {

/// cuda_engine on given devices: emulated ones that a test observes or changes.
struct given_devices {
  std::function<std::unique_ptr<device::runtime>(std::size_t number)> open;
  std::size_t devices = 1;
  std::size_t workers = 0;  ///< on the CPU, beside the devices
};

inline std::vector<std::unique_ptr<device::runtime>> opened(const given_devices& engine) {
  std::vector<std::unique_ptr<device::runtime>> all;
  for (std::size_t k = 0; k < engine.devices; ++k) all.push_back(engine.open(k));
  return all;
}

inline std::size_t plan_sharing(const given_devices& engine, run_planner& run) {
  return plan_sharing(
      cuda_engine{.workers = engine.workers, .device = std::vector<int>(engine.devices, emulated_device)}, run);
}

inline std::unique_ptr<engine_run> start(const given_devices& engine, const training_task& task, const loop_plan& plan,
                                         const note_function& note) {
  return device::start_threads(opened(engine), task, plan, note, [&](const training_task& work) {
    return start(thread_engine{.workers = engine.workers, .team = thread_team_kind::std, .pin = false}, work, plan,
                 note);
  });
}

/// Devices whose memory is limited.
struct small_device {
  std::size_t workers = 0;  ///< on the CPU, beside the devices
  std::size_t threads = 2;  ///< of each device
  std::uint64_t memory_bytes = 0;
  std::size_t devices = 1;

  operator given_devices() const {
    return {.open = [*this](std::size_t) { return device::open_emulated(threads, memory_bytes); },
            .devices = devices,
            .workers = workers};
  }
};

}  // namespace hogwild::test
