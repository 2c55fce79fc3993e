// SPDX-License-Identifier: Apache-2.0
#include <hogwild/divergence_guard.hpp>

#include <algorithm>

namespace hogwild {

template <class F>
void divergence_guard::for_each_array(const F& f) const {
  const auto each = [&]<class T>(T) {
    f(0, store_.parameters<T>());
    for (std::size_t k = 0; k < store_.shape().state_arrays; ++k) f(k + 1, store_.state<T>(k));
  };
  if (store_.shape().scalar_bytes == sizeof(float))
    each(float{});
  else
    each(double{});
}

divergence_guard::divergence_guard(const job& work, const param_store& store, round_driver& rounds)
    : store_(store), rounds_(rounds), scale_(rounds.scale()) {
  if (work.options().exchange.workers < 2) return;
  arrays_.resize(1 + store.shape().state_arrays);
  for_each_array([this](std::size_t k, auto values) { arrays_[k].assign(values.begin(), values.end()); });
}

std::optional<std::string> divergence_guard::turn_back(double step) {
  if (arrays_.empty()) return std::nullopt;
  const auto remedy = rounds_.calm_down(step);
  if (!remedy) return std::nullopt;
  for_each_array([this](std::size_t k, auto values) {
    using scalar = typename decltype(values)::value_type;
    std::ranges::transform(arrays_[k], values.begin(), [](double x) { return static_cast<scalar>(x); });
  });
  rounds_.resume_at(scale_);
  return remedy;
}

}  // namespace hogwild
