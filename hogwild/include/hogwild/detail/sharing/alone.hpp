// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>

namespace hogwild {

/// One worker, whose own the array is: nothing to share, and so nothing to exchange. What a replica is to several.
template <parameter T>
class alone_sharing {
 public:
  using scalar_type = T;
  using view_type = param_view<T>;
  static constexpr bool replicated = true;  ///< nobody else writes what the worker reads while it trains

  explicit alone_sharing(const param_store& store) : store_(store) {}

  std::span<T> values() const { return store_.parameters<T>(); }
  param_reader<T> reader() const { return parameters().reader(); }
  view_type parameters() const { return view_type(store_.parameters<T>()); }
  view_type state(std::size_t k) const { return view_type(store_.state<T>(k)); }

  void begin_round(const round_plan&) const {}
  std::size_t rows_to_exchange() const { return static_cast<std::size_t>(-1); }
  void exchange(std::size_t, race_probe&) const {}
  void end_round() const {}

 private:
  const param_store& store_;
};

}  // namespace hogwild
