// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <hogwild/detail/memory/split_view.hpp>
#include <hogwild/detail/sharing/replica.hpp>

namespace hogwild {

/// A replica of the hot columns, as in buffered_sharing, before a shared tail, as in direct_sharing: for models that
/// are too large to be held once a worker. Columns so rare that they are in nobody's cache cost nothing more when they
/// are shared.
template <parameter T, class Update>
class head_sharing {
 public:
  using scalar_type = T;
  using view_type = split_view<T, Update>;
  static constexpr bool replicated = true;

  /// `head`: how many parameters each worker holds; `first_singleton`: see replica.
  head_sharing(const param_store& store, std::size_t slot, worker_memory& memory, std::vector<parameter_group> groups,
               std::size_t head, std::size_t first_singleton)
      : store_(store), replica_(store, slot, memory, std::move(groups), head, first_singleton, Update::kind) {}

  view_type reader() const { return parameters(); }
  view_type parameters() const { return {replica_.values(0), param_view<T, Update>(store_.parameters<T>())}; }
  view_type state(std::size_t k) const { return {replica_.values(k + 1), param_view<T, Update>(store_.state<T>(k))}; }

  void begin_round(const round_plan& round) { replica_.begin_round(round); }
  std::size_t rows_to_exchange() const { return replica_.rows_to_exchange(); }
  void exchange(std::size_t rows, race_probe& probe) { replica_.exchange(rows, probe); }
  void end_round() { replica_.end_round(); }
  void begin_chunk(column_range singletons) { replica_.begin_chunk(singletons); }
  void end_chunk() const { replica_.end_chunk(); }

 private:
  const param_store& store_;
  replica<T> replica_;
};

}  // namespace hogwild
