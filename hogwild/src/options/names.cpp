// SPDX-License-Identifier: Apache-2.0
#include <hogwild/names.hpp>

#include <cmath>

#include <hogwild/detail/options/option_words.hpp>
#include <hogwild/detail/platform/number_text.hpp>

namespace hogwild {

using detail::word_for;

std::string_view name_of(update_kind value) {
  return word_for(value);
}
std::string_view name_of(optimizer_kind value) {
  return word_for(value);
}
std::string_view name_of(sharing_kind value) {
  return word_for(value);
}
std::string_view name_of(access_kind value) {
  return word_for(value);
}
std::string_view name_of(ownership_kind value) {
  return word_for(value);
}
std::string_view name_of(l2_form value) {
  return word_for(value);
}
std::string_view name_of(ring_rule value) {
  return word_for(value);
}
std::string_view name_of(row_order value) {
  return word_for(value);
}
std::string_view name_of(sharding value) {
  return word_for(value);
}
std::string_view name_of(schedule_kind value) {
  return word_for(value);
}
std::string_view name_of(column_scaling value) {
  return word_for(value);
}
std::string_view name_of(thread_team_kind value) {
  return word_for(value);
}
std::string_view name_of(memory_kind value) {
  return word_for(value);
}
std::string_view name_of(storage_kind value) {
  return word_for(value);
}
std::string_view name_of(transport_kind value) {
  return word_for(value);
}
std::string_view name_of(sync_rule value) {
  return word_for(value);
}
std::string_view name_of(delta_values value) {
  return word_for(value);
}

std::string divergence_advice(const train_result& result) {
  using detail::to_short_text;
  return (std::isfinite(result.objective) ? "the run ended worse than it began, after epoch "
                                          : "the loss is no longer a finite number in epoch ") +
         std::to_string(result.epochs) + ": the step " + to_short_text(result.step) + " is too large; lower it, to " +
         to_short_text(result.step / 10.0) + " for a start";
}

}  // namespace hogwild
