// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/several_run.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

std::string_view name_of(const several_plan& plan) {
  return plan.mean_weights ? "mean_weights" : name_of(plan.by);
}

void require_several(const several_plan& plan, const train_options& o, const model_traits& traits) {
  const bool of_classes = plan.rows == member_rows_kind::classes;
  require(traits.margin, "several models make one where each has a margin; this model has none");
  require(!of_classes || traits.labels == label_kind::binary,
          "one class against the rest is for models of two labels; this one is of numbers");
  require(of_classes || plan.models >= 2, "an ensemble has two models at least");
  require(plan.by != answer_kind::vote || traits.labels == label_kind::binary,
          "models of numbers do not vote: take the mean of what they predict");
  require(!of_classes || o.weight_positive == 1.0,
          "weight_positive is about two labels, and each class is the larger one once: give weights of classes");
  require(o.checkpoint.empty() && o.resume.empty(),
          "several models that make one keep no checkpoints: leave out checkpoint and resume");
  require(of_classes || !o.initial, "an ensemble begins with zeros: leave out the warm start");
  require(!o.virtual_workers, "several models that make one repeat without virtual workers: leave them out");
  require(!o.measure_every, "several models that make one are measured after each epoch: leave measure_every out");
  require(
      o.update == update_kind::lossy || o.update == update_kind::exact,
      "several models that make one are trained by adds, or by a worker each, and nothing is locked or put in order: "
      "leave out the update");
  require(!o.rounds, "several models that make one tell of whole epochs: leave out the rounds");
}

}  // namespace hogwild
