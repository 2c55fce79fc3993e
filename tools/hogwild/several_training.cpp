// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <variant>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/error.hpp>

#include "several_request.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

train_result train_several_with_engine(const named_model& m, const sparse_view& rows, const train_request& request,
                                       const train_options& options, std::shared_ptr<any_engine> engine,
                                       collective* ranks) {
  const several_request& several = request.several;
  several_plan plan = several.one_vs_rest ? several_plan{} : detail::plan_of(several.of_ensemble);
  plan.ranks = ranks;
  if (request.engine == engine_name::threads)
    detail::set_workers(
        plan, thread_engine{.workers = unless_zero(request.workers), .team = request.team, .pin = request.pin});
  else if (request.engine != engine_name::serial)
    detail::set_workers(plan, process_engine{.workers = unless_zero(request.workers)});
  return std::visit(
      [&]<class M>(const M& concrete) -> train_result {
        if constexpr (margin_model<M>)
          return detail::train_several_of(concrete, rows, engine, options, plan);
        else
          throw config_error("--multiclass and --ensemble are for models with a margin, and " + request.model +
                             " has none");
      },
      m);
}

}  // namespace hogwild::cli
