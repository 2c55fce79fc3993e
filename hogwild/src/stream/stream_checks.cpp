// SPDX-License-Identifier: Apache-2.0
#include "stream_checks.hpp"

#include <string>
#include <utility>

#include <hogwild/detail/math/regularizer.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/run_notes.hpp>
#include <hogwild/error.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;
using detail::require_below_one;

train_options checked_for_stream(train_options o, const model_traits& traits) {
  detail::require_taken(o, &detail::option_details::in_streams, "a stream does not take");
  o.observers = silent_observers();  // each batch would repeat the same notes
  require(o.ownership != ownership_kind::blocks,
          "a stream does not take ownership of blocks of ratings: leave that out");
  require(o.optimizer != optimizer_kind::ftrl,
          "a stream does not take ftrl, whose thresholds depend on the rows of an epoch: choose another optimizer");
  require(o.order == row_order::chunked || o.order == row_order::sequential,
          "a stream is trained in the order of its rows: leave the order out");
  const schedule_kind kind = o.step.kind.value_or(schedule_kind::constant);
  require(kind == schedule_kind::constant || o.step.decay, "a step that falls in a stream needs a decay: give one");
  require(kind == schedule_kind::constant || kind == schedule_kind::geometric || kind == schedule_kind::inverse,
          "a stream has no last epoch that a step could fall to: the schedule is constant, geometric or inverse");
  if (traits.factors) o.ownership = ownership_kind::shared;
  o.order = row_order::sequential;
  o.step.kind = o.step.decay ? o.step.kind.value_or(schedule_kind::geometric) : schedule_kind::constant;
  if (!o.l2) o.l2 = 0.0;
  const bool by_scale = traits.margin && o.form != l2_form::two_pass &&
                        o.optimizer.value_or(traits.defaults.optimizer) == optimizer_kind::sgd;
  require(*o.l2 == 0.0 || by_scale,
          "in a stream l2 is for linear models with one margin a row, under sgd and not in two passes, because others "
          "need counts of all rows: leave it out");
  require(o.l1 == 0.0 || (by_scale && o.freeze.empty()),
          "in a stream l1 is for linear models with one margin a row, under sgd and with nothing frozen: leave it out");
  if (o.step.initial) require_below_one(*o.step.initial * *o.l2);
  detail::check_options(o, traits);
  o.data_name = stream_name;
  return o;
}

label_map labels_of_stream(const model_traits& traits, const train_options& o) {
  if (traits.labels == label_kind::real && o.labels.empty()) return {};
  require(!o.labels.empty(),
          "declare the labels of the stream (train_options::labels, --label-values): they cannot be learned from rows "
          "that are yet to come");
  return declared_labels(traits.labels, o.labels, {}, std::string(stream_name));
}

}  // namespace hogwild
