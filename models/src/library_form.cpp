// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/library_form.hpp>

#include <type_traits>
#include <variant>

#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/registry.hpp>

namespace hogwild::detail {

template <free_model M>
saved_model library_form_of(const M& m, std::span<const float> parameters, const label_map& labels,
                            std::span<const std::uint32_t> original) {
  return to_saved(m, parameters, labels, original);
}

template <free_model M>
restored_model<M> restored_of_library(const saved_model& saved) {
  if (saved.model != model_name<M>()) refuse_saved_name(saved, model_name<M>());
  const predictor known(saved);
  return {std::get<M>(known.model()),
          {known.parameters().begin(), known.parameters().end()},
          {known.columns().begin(), known.columns().end()}};
}

/// Never called: it instantiates both functions for each free model of the library.
void compile_library_forms() {
  with_named_models([]<class... M>() {
    const auto compile = []<class One>(std::type_identity<One>) {
      if constexpr (free_model<One>) {
        [[maybe_unused]] auto* volatile save = &library_form_of<One>;
        [[maybe_unused]] auto* volatile restore = &restored_of_library<One>;
      }
    };
    (compile(std::type_identity<M>{}), ...);
  });
}

}  // namespace hogwild::detail
