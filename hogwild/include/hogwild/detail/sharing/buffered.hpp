// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/sharing/replica.hpp>

namespace hogwild {

/// A worker reads and writes a replica of its own and exchanges what it gained with the shared array every so many
/// rows: Hogwild! per exchange instead of per step. Between two exchanges no cache line is shared, so that the inner
/// loop may be as wide as the machine. `update` says what an exchange promises.
template <parameter T>
class buffered_sharing {
 public:
  using scalar_type = T;
  using view_type = param_view<T>;
  static constexpr bool replicated = true;

  /// `first_singleton`: see replica.
  buffered_sharing(const param_store& store, std::size_t slot, worker_memory& memory,
                   std::vector<parameter_group> groups, update_kind update, std::size_t first_singleton = no_singletons,
                   exchange_hook* hook = nullptr)
      : replica_(store, slot, memory, std::move(groups), static_cast<std::size_t>(-1), first_singleton, update, hook) {}

  /// The replica: nobody but this worker reads or writes it.
  std::span<T> values() const { return replica_.values(0); }
  param_reader<T> reader() const { return parameters().reader(); }
  view_type parameters() const { return view_type(replica_.values(0)); }
  view_type state(std::size_t k) const { return view_type(replica_.values(k + 1)); }

  void begin_round(const round_plan& round) { replica_.begin_round(round); }
  std::size_t rows_to_exchange() const { return replica_.rows_to_exchange(); }
  void exchange(std::size_t rows, race_probe& probe) { replica_.exchange(rows, probe); }
  void end_round() { replica_.end_round(); }
  void begin_chunk(column_range singletons) { replica_.begin_chunk(singletons); }
  void end_chunk() const { replica_.end_chunk(); }

 private:
  replica<T> replica_;
};

}  // namespace hogwild
