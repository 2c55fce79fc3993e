// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/split_view.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/detail/sharing/sharing_traits.hpp>

namespace hogwild {

/// A replica of the popular columns, as in private_sharing, and a shared tail, as in direct_sharing: for models that
/// are too large for a replica in each worker. Columns so rare that they are in nobody's cache cost no more when
/// shared.
template <parameter T, class Update>
class head_sharing {
 public:
  using scalar_type = T;
  using view_type = split_view<T, Update>;
  static constexpr sharing_traits traits{.replicated = true, .has_state = true};

  /// `hot` are the parameters that the worker holds, the first ones; they outlive this.
  head_sharing(const param_store& store, private_arrays<T>& hot) : store_(store), hot_(&hot) {}

  view_type reader() const { return parameters(); }
  view_type parameters() const { return {hot_->values(0), param_view<T, Update>(store_.parameters<T>())}; }
  view_type state(std::size_t k) const { return {hot_->values(k + 1), param_view<T, Update>(store_.state<T>(k))}; }

  void begin_round(const round_plan& round) { hot_->begin_round(round); }
  std::size_t rows_to_exchange() const { return hot_->rows_to_exchange(); }
  void exchange(std::size_t rows, race_probe& probe) { hot_->exchange(rows, probe); }
  void end_round() { hot_->end_round(); }
  std::unique_ptr<ticket_source> tickets(const worker_round& at) { return hot_->tickets(at); }
  bool changes_worker() const { return hot_->changes_worker(); }
  bool moves_singletons() const { return hot_->moves_singletons(); }
  void begin_chunk(column_range singletons) { hot_->begin_chunk(singletons); }
  void end_chunk() const { hot_->end_chunk(); }

 private:
  const param_store& store_;
  private_arrays<T>* hot_;
};

}  // namespace hogwild
