// SPDX-License-Identifier: Apache-2.0
#include "stream_checks.hpp"

#include <string>
#include <utility>

#include <hogwild/detail/math/regularizer.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/run_notes.hpp>
#include <hogwild/error.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;
using detail::require_below_one;

train_options checked_for_stream(train_options o, const model_traits& traits) {
  detail::check_stream_options(o, traits);
  o.observers = silent_observers();  // each batch would repeat the same notes
  if (traits.factors) o.ownership = ownership_kind::shared;
  o.order = row_order::sequential;
  o.step.kind = o.step.decay ? o.step.kind.value_or(schedule_kind::geometric) : schedule_kind::constant;
  if (!o.l2) o.l2 = 0.0;
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
