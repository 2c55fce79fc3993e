// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/options/option_list.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

std::string_view name_of(const several_plan& plan) {
  return plan.mean_weights ? "mean_weights" : name_of(plan.by);
}

void require_several(const several_plan& plan, const train_options& o, const model_traits& traits) {
  const bool of_classes = plan.rows == member_rows_kind::classes;
  require(traits.margin, "one class against the rest and ensembles are for models with a margin; this model has none");
  require(!of_classes || traits.labels == label_kind::binary,
          "one class against the rest is for models of two labels; this one learns numbers");
  require(of_classes || plan.models >= 2, "an ensemble needs at least two models");
  require(plan.by != answer_kind::vote || traits.labels == label_kind::binary,
          "models of numbers do not vote: take the mean of their predictions");
  require(!of_classes || o.weight_positive == 1.0,
          "weight_positive is for two labels, and here are several classes: give weights of classes");
  detail::require_taken(o, &detail::option_details::in_several_models,
                        "one class against the rest and ensembles do not take");
  require(of_classes || !o.initial, "an ensemble begins with zeros: leave out the warm start");
  require(o.update == update_kind::lossy || o.update == update_kind::exact,
          "one class against the rest and ensembles take no locked or ordered updates: leave out the update");
}

}  // namespace hogwild
