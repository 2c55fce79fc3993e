// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

/// Who trains: workers on the run's parameters, replicas on a ring, or ranks that train in lockstep.
enum class trained_by { workers, ring, lockstep };

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
  bool processes = false;               ///< the workers beside the device are processes
  bool several_devices = false;
  bool native_atomics = true;     ///< of the device: its atomic operations on CPU memory are atomic for CPUs, too
  bool concurrent_access = true;  ///< of the device: CPUs may use unified memory while it runs
  storage_kind storage = storage_kind::single;  ///< of factors on the device, or in replicas
  bool fades = false;                           ///< a margin model's optimiser state fades at every row
  bool draws = false;          ///< the model draws at random parameters that it touches besides those of its row
  bool by_occurrence = false;  ///< the model has l2 by occurrence and in no other form (occurrence_model)
  trained_by by = trained_by::workers;

  constexpr bool by_replicas() const { return sharing == sharing_kind::buffered || sharing == sharing_kind::head; }
  constexpr bool in_common_memory() const { return memory == memory_kind::pinned || memory == memory_kind::managed; }
};

/// A condition under which a run is refused, and the message for the user.
struct refusal {
  bool (*refuses)(const combination&);
  std::string_view reason;
};

/// The first row that refuses a run gives the reason.
inline constexpr std::array refusals{
    refusal{[](auto& c) { return c.by == trained_by::lockstep && c.reproducible; },
            "a synchronous run gives the same bits every time by itself: leave out reproducible"},
    refusal{[](auto& c) { return c.by == trained_by::lockstep && c.update != update_kind::lossy; },
            "each rank of a synchronous engine has its own parameters, so the update policy has no effect: leave out "
            "the update"},
    refusal{[](auto& c) { return c.by == trained_by::lockstep && c.sharing != sharing_kind::automatic; },
            "each rank of a synchronous engine has its own parameters: leave the sharing at auto"},
    refusal{[](auto& c) { return c.by == trained_by::ring && c.reproducible; },
            "a reproducible run is not possible on a ring, where the order of exchanges is chance: use threads or "
            "processes"},
    refusal{[](auto& c) { return c.by == trained_by::ring && c.update == update_kind::locked; },
            "replicas on a ring exchange without locks: use lossy or exact updates"},
    refusal{[](auto& c) { return c.by == trained_by::ring && is_exclusive(c.update); },
            "edge_locked and ordered are for one shared array, and a ring has replicas: use lossy or exact updates"},
    refusal{[](auto& c) {
              return c.by == trained_by::ring && (c.sharing == sharing_kind::direct || c.sharing == sharing_kind::head);
            },
            "workers on a ring train buffered copies of their replica: leave the sharing at auto"},
    refusal{[](auto& c) {
              return c.reproducible && (c.sharing == sharing_kind::direct || c.sharing == sharing_kind::head);
            },
            "a reproducible run is not possible on one shared array (direct) or with a shared tail (head), where the "
            "order of updates is chance: leave the sharing at auto"},
    refusal{[](auto& c) {
              return c.reproducible && (c.update == update_kind::locked || c.update == update_kind::edge_locked);
            },
            "a reproducible run has no shared parameters to lock: leave out the update"},
    refusal{[](auto& c) { return c.reproducible && c.update == update_kind::ordered; },
            "ordered updates give the same bits in every run by themselves: leave out reproducible"},
    refusal{[](auto& c) { return c.reproducible && c.shards == sharding::fixed; },
            "a reproducible run deals its rows to virtual workers: leave the shards at claimed"},
    refusal{[](auto& c) { return c.by_replicas() && c.update == update_kind::locked; },
            "replicas (buffered, head) exchange without locks: use lossy or exact updates, or direct sharing"},
    refusal{[](auto& c) { return c.by_replicas() && c.update == update_kind::edge_locked; },
            "edge_locked updates need one shared array: use direct sharing, or leave the sharing at auto"},
    refusal{[](auto& c) { return c.by_replicas() && c.update == update_kind::ordered; },
            "ordered updates need one shared array: use direct sharing, or leave the sharing at auto"},
    refusal{[](auto& c) { return c.update == update_kind::ordered && c.shards == sharding::fixed; },
            "ordered updates have one order for all workers: leave the shards at claimed"},
    refusal{[](auto& c) { return is_exclusive(c.update) && c.batches; },
            "edge_locked and ordered are for models that train one example at a time, and this one trains several at "
            "once: use locked"},
    refusal{[](auto& c) { return is_exclusive(c.update) && c.fades; },
            "edge_locked and ordered are for optimizers that change only the columns of one example, and those "
            "with running means change all columns of a linear model at every example: use locked, or adagrad"},
    refusal{[](auto& c) { return c.update == update_kind::edge_locked && c.draws; },
            "edge_locked locks the parameters that an example's row names, and this model also changes parameters that "
            "it draws: use locked, or ordered"},
    refusal{[](auto& c) { return c.form == l2_form::two_pass && !c.margin; },
            "l2 in two passes is for linear models with one margin a row: use by_degree"},
    refusal{[](auto& c) { return c.form == l2_form::per_occurrence && c.margin; },
            "l2 by occurrence is for models with several parameters a column; a linear model with one margin a row "
            "regularises each weight once an epoch: use by_degree, or leave out the form"},
    refusal{[](auto& c) { return c.form == l2_form::per_occurrence && c.batches && !c.by_occurrence; },
            "this model trains several examples at once, and regularises each parameter once a batch: leave out the "
            "form of the l2"},
    refusal{[](auto& c) { return c.form == l2_form::by_degree && c.by_occurrence; },
            "this model regularises the parameters that each row touches (per_occurrence), and has no l2 by degree: "
            "leave out the form of the l2"},
    refusal{[](auto& c) { return c.form == l2_form::two_pass && c.memory; },
            "a device does not do l2 in two passes: leave out the form"},
    refusal{[](auto& c) { return c.sharing == sharing_kind::head && !c.margin; },
            "a replica of the hot columns (head) is for margin models; use buffered for others"},
    refusal{[](auto& c) { return c.reproducible && c.memory; },
            "a reproducible run is not possible on a device, where rows are trained at once: use threads or processes"},
    refusal{
        [](auto& c) { return c.memory && (c.update == update_kind::locked || c.update == update_kind::edge_locked); },
        "a device has no locks: use lossy or exact updates"},
    refusal{[](auto& c) { return c.memory && c.update == update_kind::ordered; },
            "a device trains many rows at once, in no order: use lossy or exact updates"},
    refusal{[](auto& c) { return c.memory == memory_kind::device && c.sharing == sharing_kind::direct; },
            "a device has a replica (buffered) in its own memory: leave the sharing at auto, or take pinned memory"},
    refusal{[](auto& c) { return c.memory == memory_kind::device && c.sharing == sharing_kind::head; },
            "a device has a replica of all parameters (buffered) in its own memory: leave the sharing at auto"},
    refusal{[](auto& c) { return c.in_common_memory() && c.by_replicas(); },
            "a device and all workers train on one whole shared array (direct) in pinned or managed memory: leave the "
            "sharing at auto"},
    refusal{
        [](auto& c) { return c.memory == memory_kind::pinned && c.update == update_kind::exact && !c.native_atomics; },
        "exact updates in pinned memory need a device whose atomic operations on it are atomic to CPUs, too, and "
        "this one's are not: use lossy updates, or device memory"},
    refusal{[](auto& c) { return c.memory == memory_kind::managed && c.processes; },
            "managed memory belongs to one process: use threads, or pinned memory"},
    refusal{[](auto& c) { return c.memory == memory_kind::managed && c.several_devices; },
            "managed memory is for a single device: name one, or use device memory"},
    refusal{[](auto& c) { return c.memory == memory_kind::pinned && c.several_devices && !c.processes; },
            "several devices can share pinned memory only as processes: use the transport shared_segment, or device "
            "memory"},
    refusal{[](auto& c) { return c.memory == memory_kind::managed && !c.concurrent_access; },
            "managed memory needs a device that lets CPUs access it while kernels run, and this one does not: use "
            "pinned or device memory"},
    refusal{
        [](auto& c) { return c.storage == storage_kind::half && c.in_common_memory(); },
        "on a device only a replica in its own memory stores factors in half, and pinned and managed memory hold the "
        "run's parameters, which are float: leave the memory at device"},
    refusal{[](auto& c) { return c.storage == storage_kind::half && c.update == update_kind::exact; },
            "half storage rounds what an exact update would keep: use lossy updates, or float storage"},
    refusal{[](auto& c) { return c.storage == storage_kind::half && c.sharing == sharing_kind::direct; },
            "only replicas store factors in half, and one shared array (direct) is float: leave the sharing at auto, "
            "or the storage at float"},
    refusal{[](auto& c) { return c.storage == storage_kind::half && c.update != update_kind::lossy; },
            "only replicas store factors in half, and locked, edge_locked and ordered updates need one shared array, "
            "which is float: use lossy updates, or float storage"},
};

/// Why these options are incompatible; empty if they are compatible.
constexpr std::string_view why_refused(const combination& c) {
  for (const refusal& r : refusals)
    if (r.refuses(c)) return r.reason;
  return {};
}

/// Throws config_error for incompatible options.
inline void require_compatible(const combination& c) {
  if (const std::string_view reason = why_refused(c); !reason.empty()) throw config_error(std::string(reason));
}

}  // namespace hogwild
