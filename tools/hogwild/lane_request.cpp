// SPDX-License-Identifier: Apache-2.0
#include "lane_request.hpp"

#include <utility>
#include <variant>

#include <hogwild/detail/task/lane_loops.hpp>
#include <hogwild/error.hpp>

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
          if constexpr (margin_model<M> || row_kernel_model<M>) {
            const optimizer_kind by = o.optimizer.value_or(defaults_of<M>().optimizer);
            const bool sums = request.engine == engine_name::all_reduce;
            if (sums && (o.l1 != 0.0 || by != optimizer_kind::sgd)) return;
            if (lanes_pay(m, rows.columns, by)) traits = traits_of(m);
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
