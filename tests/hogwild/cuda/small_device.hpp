// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <hogwild/cuda/engine.hpp>

#include "device_run.hpp"

namespace hogwild::test {

/// cuda_engine with an emulated device whose memory is limited.
struct small_device {
  std::size_t workers = 0;  ///< on the CPU, beside the device
  std::size_t threads = 2;  ///< of the device
  std::uint64_t memory_bytes = 0;
};

inline std::size_t plan_sharing(const small_device& engine, run_planner& run) {
  return plan_sharing(cuda_engine{.workers = engine.workers, .device = emulated_device}, run);
}

inline std::unique_ptr<engine_run> start(const small_device& engine, const training_task& task, const loop_plan& plan,
                                         const note_function& note) {
  return device::start_threads({.workers = engine.workers, .team = thread_team_kind::std, .pin = false},
                               device::open_emulated(engine.threads, engine.memory_bytes), task, plan, note);
}

}  // namespace hogwild::test
