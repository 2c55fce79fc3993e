// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <hogwild/detail/loop/loop_options.hpp>

namespace hogwild {

/// Options that do not go with each other whatever the data.
struct combination {
  sharing_kind sharing = sharing_kind::automatic;
  update_kind update = update_kind::lossy;
  sharding shards = sharding::claimed;
  bool margin = true;  ///< a margin model
  bool reproducible = false;
};

/// What a run is refused for, whatever its engine: all that is named here is met.
struct refusal {
  std::optional<sharing_kind> sharing{};
  std::optional<update_kind> update{};
  std::optional<sharding> shards{};
  std::optional<bool> margin{};
  std::optional<bool> reproducible{};
  std::string_view reason{};

  constexpr bool meets(const combination& c) const {
    return sharing.value_or(c.sharing) == c.sharing && update.value_or(c.update) == c.update &&
           shards.value_or(c.shards) == c.shards && margin.value_or(c.margin) == c.margin &&
           reproducible.value_or(c.reproducible) == c.reproducible;
  }
};

inline constexpr std::array refusals = {
    refusal{.sharing = sharing_kind::direct,
            .reproducible = true,
            .reason = "a reproducible run is not possible on one shared array (direct), where the order of updates is "
                      "chance: leave the sharing at auto"},
    refusal{.sharing = sharing_kind::head,
            .reproducible = true,
            .reason = "a reproducible run is not possible with a shared tail (head), where the order of updates is "
                      "chance: leave the sharing at auto"},
    refusal{.update = update_kind::locked,
            .reproducible = true,
            .reason = "a reproducible run shares nothing that could be locked: leave out the update"},
    refusal{.shards = sharding::fixed,
            .reproducible = true,
            .reason = "a reproducible run deals its rows to virtual workers: leave the shards at claimed"},
    refusal{.sharing = sharing_kind::buffered,
            .update = update_kind::locked,
            .reason = "replicas (buffered) exchange without locks: use lossy or exact updates, or direct sharing"},
    refusal{.sharing = sharing_kind::head,
            .update = update_kind::locked,
            .reason = "replicas (head) exchange without locks: use lossy or exact updates, or direct sharing"},
    refusal{.sharing = sharing_kind::head,
            .margin = false,
            .reason = "a replica of the hot columns (head) is for margin models; use buffered for others"},
};

/// Why these options do not go together; empty where they do.
constexpr std::string_view why_refused(const combination& c) {
  for (const refusal& r : refusals) {
    if (r.meets(c)) return r.reason;
  }
  return {};
}

}  // namespace hogwild
