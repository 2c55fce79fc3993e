// SPDX-License-Identifier: Apache-2.0
#include "lane_request.hpp"

#include <concepts>
#include <utility>
#include <variant>

#include <hogwild/detail/task/lane_task.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/softmax.hpp>

#include "model_from_request.hpp"
#include "training.hpp"

namespace hogwild::cli {

std::optional<model_traits> traits_of_lane(const train_request& request, const sparse_view& rows) {
  const bool one = request.engine != engine_name::cuda && request.devices.empty() && request.init.empty() &&
                   !request.several.any() && request.segment.empty() && request.storage == storage_kind::single;
  // The sharing of workers may depend on the steps of the trials that are trained together.
  const train_options& o = request.options;
  const bool by_others = o.reproducible && request.engine != engine_name::serial && !o.step.initial;
  if (!one || by_others || request.folds.any() || request.options.l2_by_folds) return std::nullopt;
  std::optional<model_traits> traits;
  try {
    train_request asked = request;
    std::visit(
        [&]<class M>(const M& m) {
          if constexpr (margin_model<M>)
            if (request.engine != engine_name::all_reduce || o.l1 == 0.0) traits = traits_of(m);
          if constexpr (std::same_as<M, softmax>)
            if (lane_task::pays_of_classes(rows.columns, m.classes)) traits = traits_of(m);
          if constexpr (std::same_as<M, factorization_machine>) {
            const optimizer_kind by = o.optimizer.value_or(m.defaults.optimizer);
            const bool sums_by_mean = request.engine == engine_name::all_reduce && by != optimizer_kind::sgd;
            if (!sums_by_mean && lane_task::pays_of_machines(rows.columns, m.width(), by)) traits = traits_of(m);
          }
        },
        model_of(asked, rows, agreement(nullptr), nullptr));
  } catch (const config_error&) {
    return std::nullopt;
  }
  return traits && trials_side_by_side::suits(request.options, *traits, rows) ? traits : std::nullopt;
}

side_by_side_trial lane_of(std::shared_ptr<const train_request> request, const model_traits& traits,
                           const sparse_view& rows) {
  side_by_side_trial one{.traits = traits, .options = request->options, .rows = rows};
  one.options.data_name = request->data;
  if (!traits.margin) one.options.bias = false;  // the model has its own, as model_of() has made it
  if (request->engine != engine_name::serial)
    one.engine = [request] { return std::shared_ptr<any_engine>(make_engine(*request, nullptr)); };
  one.make = [request = std::move(request)](const sparse_view& of, const train_options& options) {
    train_request asked = *request;
    return prepare_named(model_of(asked, of, agreement(nullptr), nullptr), of, options, nullptr);
  };
  return one;
}

}  // namespace hogwild::cli
