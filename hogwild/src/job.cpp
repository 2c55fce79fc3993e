// SPDX-License-Identifier: Apache-2.0
#include <hogwild/job.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <hogwild/core/error.hpp>

namespace hogwild {

store_shape job::shape(std::size_t workers, std::size_t spare, std::size_t setup_bytes) const {
  constexpr std::uint64_t stripes = 4096;  // enough that two workers rarely meet on one by chance
  return {.parameters = parameters(),
          .scalar_bytes = scalar_bytes(),
          .state_arrays = state_arrays_of(options_.optimizer),
          .workers = workers + spare,
          .shards = options_.sharing == sharing_kind::frozen ? 1 : workers,  // dealt out by turns, not by shards
          .chunks = std::max<std::uint64_t>(plan_.count(), 1),
          .stripes = options_.ownership == ownership_kind::blocks ? owner_stripes
                     : options_.update == update_kind::locked     ? stripes
                                                                  : 0,
          .setup_bytes = setup_bytes,
          .replicas = options_.sharing == sharing_kind::frozen ? options_.exchange.workers : 0,
          .ring = in_lockstep(options_.sharing)    ? workers
                  : options_.exchange.replicas > 1 ? options_.exchange.replicas
                                                   : 0};
}

void require_cover(std::vector<parameter_group> groups, std::size_t parameters) {
  std::ranges::sort(groups, {}, &parameter_group::offset);
  std::size_t covered = 0;
  for (const parameter_group& g : groups) {
    if (g.offset != covered) {
      throw config_error("the model's groups leave out or repeat parameters: '" + std::string(g.name) + "' begins at " +
                         std::to_string(g.offset) + ", where " + std::to_string(covered) + " are covered so far");
    }
    covered += g.rows * g.width;
  }
  if (covered != parameters) {
    throw config_error("the model's groups cover " + std::to_string(covered) + " parameters, but it has " +
                       std::to_string(parameters));
  }
}

void job::begin(const param_store& store) const {
  initialise(store);
  try_rows(store);
}

void job::change(const param_store& store, const std::function<void(std::span<float>)>& change) const {
  if (!change) return;
  std::vector<float> parameters = parameters_of(store, 1.0);
  change(parameters);
  assign(store, parameters);
}

void job::assign(const param_store& store, std::span<const float> parameters) const {
  if (scalar_bytes() == sizeof(float)) {
    std::ranges::copy(parameters, store.parameters<float>().begin());
  } else {
    std::ranges::copy(parameters, store.parameters<double>().begin());
  }
}

}  // namespace hogwild
