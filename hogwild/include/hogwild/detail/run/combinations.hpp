// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <hogwild/detail/loop/loop_options.hpp>

namespace hogwild {

/// Options that may be incompatible whatever the data.
struct combination {
  sharing_kind sharing = sharing_kind::automatic;
  update_kind update = update_kind::lossy;
  sharding shards = sharding::claimed;
  bool margin = true;    ///< a margin model
  bool batches = false;  ///< a model that takes several examples at once
  l2_form form = l2_form::by_degree;
  bool reproducible = false;
  std::optional<memory_kind> memory{};  ///< of a device that trains; none: no device trains
  bool processes = false;               ///< the workers beside the device
  bool several_devices = false;
  bool native_atomics = true;     ///< of the device: its atomic operations on CPU memory are atomic for CPUs, too
  bool concurrent_access = true;  ///< of the device: CPUs may use unified memory while it runs
  storage_kind storage = storage_kind::single;  ///< of factors on the device, or in replicas
  bool fades = false;                           ///< a margin model's optimiser state fades at every row: momentum, adam
  bool draws = false;          ///< the model draws numbers of parameters that it touches besides those of its row
  bool by_occurrence = false;  ///< the model has l2 by occurrence and in no other form (occurrence_model)
};

/// Conditions under which a run is refused, whatever its engine: all that are set here must hold.
struct refusal {
  std::optional<sharing_kind> sharing{};
  std::optional<update_kind> update{};
  std::optional<sharding> shards{};
  std::optional<bool> margin{};
  std::optional<bool> batches{};
  std::optional<l2_form> form{};
  std::optional<bool> reproducible{};
  std::optional<bool> device{};  ///< whether a device trains
  std::optional<memory_kind> memory{};
  std::optional<bool> processes{};
  std::optional<bool> several_devices{};
  std::optional<bool> native_atomics{};
  std::optional<bool> concurrent_access{};
  std::optional<storage_kind> storage{};
  std::optional<bool> fades{};
  std::optional<bool> draws{};
  std::optional<bool> by_occurrence{};
  std::string_view reason{};

  constexpr bool meets(const combination& c) const {
    return sharing.value_or(c.sharing) == c.sharing && update.value_or(c.update) == c.update &&
           shards.value_or(c.shards) == c.shards && margin.value_or(c.margin) == c.margin &&
           batches.value_or(c.batches) == c.batches && form.value_or(c.form) == c.form &&
           reproducible.value_or(c.reproducible) == c.reproducible &&
           device.value_or(c.memory.has_value()) == c.memory.has_value() && (!memory || memory == c.memory) &&
           processes.value_or(c.processes) == c.processes &&
           several_devices.value_or(c.several_devices) == c.several_devices &&
           native_atomics.value_or(c.native_atomics) == c.native_atomics &&
           concurrent_access.value_or(c.concurrent_access) == c.concurrent_access &&
           storage.value_or(c.storage) == c.storage && fades.value_or(c.fades) == c.fades &&
           draws.value_or(c.draws) == c.draws && by_occurrence.value_or(c.by_occurrence) == c.by_occurrence;
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
    refusal{.update = update_kind::edge_locked,
            .reproducible = true,
            .reason = "a reproducible run shares nothing that could be locked: leave out the update"},
    refusal{.update = update_kind::ordered,
            .reproducible = true,
            .reason = "ordered updates give the same bits in every run by themselves: leave out reproducible"},
    refusal{.sharing = sharing_kind::buffered,
            .update = update_kind::edge_locked,
            .reason = "an example is locked on one shared array: use direct sharing, or leave the sharing at auto"},
    refusal{.sharing = sharing_kind::head,
            .update = update_kind::edge_locked,
            .reason = "an example is locked on one shared array: use direct sharing, or leave the sharing at auto"},
    refusal{
        .sharing = sharing_kind::buffered,
        .update = update_kind::ordered,
        .reason = "ordered updates are those of one shared array: use direct sharing, or leave the sharing at auto"},
    refusal{
        .sharing = sharing_kind::head,
        .update = update_kind::ordered,
        .reason = "ordered updates are those of one shared array: use direct sharing, or leave the sharing at auto"},
    refusal{.update = update_kind::ordered,
            .shards = sharding::fixed,
            .reason = "ordered updates have one order for all workers: leave the shards at claimed"},
    refusal{.update = update_kind::edge_locked,
            .batches = true,
            .reason = "edge_locked is about single examples, and this model takes several at once: use locked"},
    refusal{.update = update_kind::ordered,
            .batches = true,
            .reason = "ordered is about single examples, and this model takes several at once: use locked"},
    refusal{.update = update_kind::edge_locked,
            .fades = true,
            .reason =
                "edge_locked is about single examples, and what momentum and adam remember of a linear model fades "
                "at each, of all columns: use locked, or adagrad"},
    refusal{.update = update_kind::ordered,
            .fades = true,
            .reason =
                "ordered is about single examples, and what momentum and adam remember of a linear model fades at "
                "each, of all columns: use locked, or adagrad"},
    refusal{.update = update_kind::edge_locked,
            .draws = true,
            .reason = "edge_locked locks what an example's row names, and this model draws what else it touches: use "
                      "locked, or ordered"},
    refusal{.margin = false,
            .form = l2_form::two_pass,
            .reason = "l2 in two passes is for linear models with one margin a row: use by_degree"},
    refusal{.margin = true,
            .form = l2_form::per_occurrence,
            .reason = "l2 by occurrence is for models with several parameters a column: a linear model with one margin "
                      "a row regularises each weight once an epoch: use by_degree, or leave out the form"},
    refusal{.batches = true,
            .form = l2_form::per_occurrence,
            .by_occurrence = false,
            .reason = "this model takes several examples at once, and regularises each parameter once a batch: leave "
                      "out the form of the l2"},
    refusal{.form = l2_form::by_degree,
            .by_occurrence = true,
            .reason = "this model regularises what each row touches (per_occurrence), and has no l2 by degree: leave "
                      "out the form of the l2"},
    refusal{.form = l2_form::two_pass,
            .device = true,
            .reason = "a device does not do l2 in two passes: leave out the form"},
    refusal{.sharing = sharing_kind::head,
            .margin = false,
            .reason = "a replica of the hot columns (head) is for margin models; use buffered for others"},
    refusal{.reproducible = true,
            .device = true,
            .reason = "a reproducible run is not possible on a device, where rows are trained at once: use threads or "
                      "processes"},
    refusal{
        .update = update_kind::locked, .device = true, .reason = "a device has no locks: use lossy or exact updates"},
    refusal{.update = update_kind::edge_locked,
            .device = true,
            .reason = "a device has no locks: use lossy or exact updates"},
    refusal{.update = update_kind::ordered,
            .device = true,
            .reason = "a device trains many rows at once, in no order: use lossy or exact updates"},
    refusal{.sharing = sharing_kind::direct,
            .memory = memory_kind::device,
            .reason = "a device has a replica (buffered) in its own memory: leave the sharing at auto, or take pinned "
                      "memory"},
    refusal{.sharing = sharing_kind::head,
            .memory = memory_kind::device,
            .reason = "a device has a replica of all parameters (buffered) in its own memory: leave the sharing at "
                      "auto"},
    refusal{.sharing = sharing_kind::buffered,
            .memory = memory_kind::pinned,
            .reason = "a device and all workers train on one shared array (direct) in pinned memory: leave the sharing "
                      "at auto"},
    refusal{.sharing = sharing_kind::head,
            .memory = memory_kind::pinned,
            .reason = "a device and all workers train on the whole shared array (direct) in pinned memory: leave the "
                      "sharing at auto"},
    refusal{.sharing = sharing_kind::buffered,
            .memory = memory_kind::managed,
            .reason = "a device and all workers train on one shared array (direct) in managed memory: leave the "
                      "sharing at auto"},
    refusal{.sharing = sharing_kind::head,
            .memory = memory_kind::managed,
            .reason = "a device and all workers train on the whole shared array (direct) in managed memory: leave the "
                      "sharing at auto"},
    refusal{.update = update_kind::exact,
            .memory = memory_kind::pinned,
            .native_atomics = false,
            .reason = "exact updates in pinned memory need a device whose atomic operations on it are atomic to CPUs, "
                      "too, and this one's are not: use lossy updates, or device memory"},
    refusal{.memory = memory_kind::managed,
            .processes = true,
            .reason = "managed memory belongs to one process: use threads, or pinned memory"},
    refusal{.memory = memory_kind::managed,
            .several_devices = true,
            .reason = "managed memory lies with one device: name one, or use device memory"},
    refusal{.memory = memory_kind::pinned,
            .processes = false,
            .several_devices = true,
            .reason = "several devices share pinned memory as processes alone: use the transport shared_segment, "
                      "or use device memory"},
    refusal{.memory = memory_kind::managed,
            .concurrent_access = false,
            .reason = "managed memory needs a device beside which CPUs may use it, and this one does not let them: "
                      "use pinned or device memory"},
    refusal{.memory = memory_kind::pinned,
            .storage = storage_kind::half,
            .reason = "factors in half storage are those of a device's own replica, and pinned memory has the run's "
                      "own, which are float: leave the memory at device"},
    refusal{.memory = memory_kind::managed,
            .storage = storage_kind::half,
            .reason = "factors in half storage are those of a device's own replica, and managed memory has the run's "
                      "own, which are float: leave the memory at device"},
    refusal{.update = update_kind::exact,
            .storage = storage_kind::half,
            .reason = "half storage rounds what an exact update would keep: use lossy updates, or float storage"},
    refusal{.sharing = sharing_kind::direct,
            .storage = storage_kind::half,
            .reason = "factors in half storage are those of replicas, and one shared array (direct) is float: leave "
                      "the sharing at auto, or the storage at float"},
    refusal{.update = update_kind::locked,
            .storage = storage_kind::half,
            .reason = "factors in half storage are those of replicas, and locks are for one shared array, which is "
                      "float: use lossy updates, or float storage"},
    refusal{.update = update_kind::edge_locked,
            .storage = storage_kind::half,
            .reason = "factors in half storage are those of replicas, and an example is locked on one shared array, "
                      "which is float: use lossy updates, or float storage"},
    refusal{.update = update_kind::ordered,
            .storage = storage_kind::half,
            .reason = "factors in half storage are those of replicas, and ordered updates are those of one shared "
                      "array, which is float: use lossy updates, or float storage"},
};

/// Why these options are incompatible; empty if they are compatible.
constexpr std::string_view why_refused(const combination& c) {
  for (const refusal& r : refusals) {
    if (r.meets(c)) return r.reason;
  }
  return {};
}

}  // namespace hogwild
