// SPDX-License-Identifier: Apache-2.0
#include "run/memory_need.hpp"

#include <string>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/platform/memory_grant.hpp>
#include <hogwild/detail/worker/row_state.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {
namespace {

std::uint64_t replica_bytes(const task_facts& facts, const loop_options& loop, std::size_t workers) {
  if (loop.sharing != access_kind::buffered && loop.sharing != access_kind::head) return 0;
  const std::size_t held = loop.sharing == access_kind::head ? loop.exchange.head : facts.parameters;
  const std::size_t state = loop.row_state != 0 ? row_state_length(facts.groups) : held;
  return 2 * (held + state_arrays_of(loop.optimizer) * state) * facts.scalar_bytes * workers;
}

std::string in_bytes(std::uint64_t bytes) {
  return std::to_string(bytes) + " bytes (" + std::to_string((bytes >> 20) + (bytes % (1u << 20) != 0)) + " MiB)";
}

}  // namespace

std::uint64_t memory_need(const training_task& task, const loop_plan& plan, std::size_t workers) {
  return store_layout(task.shape(plan, workers, 0, 0)).total + replica_bytes(task.facts(), plan.options, workers);
}

void require_granted_memory(const training_task& task, const loop_plan& plan, std::size_t workers) {
  const std::uint64_t need = memory_need(task, plan, workers);
  const auto grant = granted_memory();
  if (!grant || need <= grant->left) return;
  throw resource_error("the run needs " + in_bytes(need) + " of memory for its parameters and those of " +
                       std::to_string(workers) + (workers == 1 ? " worker" : " workers") +
                       ", but its control group has a limit of " + in_bytes(grant->limit) + ", of which only " +
                       in_bytes(grant->left) +
                       " are left; raise the limit (docker run --memory, MemoryMax= of systemd, resources.limits of "
                       "Kubernetes, --mem of Slurm), or use fewer workers");
}

}  // namespace hogwild::detail
