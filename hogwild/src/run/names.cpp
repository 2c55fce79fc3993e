// SPDX-License-Identifier: Apache-2.0
#include <hogwild/names.hpp>

#include <cmath>

#include <hogwild/detail/platform/number_text.hpp>

namespace hogwild {

std::string_view name_of(update_kind kind) {
  switch (kind) {
    case update_kind::exact:
      return "exact";
    case update_kind::locked:
      return "locked";
    case update_kind::edge_locked:
      return "edge_locked";
    case update_kind::ordered:
      return "ordered";
    case update_kind::lossy:
      break;
  }
  return "lossy";
}

std::string_view name_of(optimizer_kind kind) {
  switch (kind) {
    case optimizer_kind::adagrad:
      return "adagrad";
    case optimizer_kind::momentum:
      return "momentum";
    case optimizer_kind::adam:
      return "adam";
    case optimizer_kind::row_adagrad:
      return "row_adagrad";
    case optimizer_kind::ftrl:
      return "ftrl";
    case optimizer_kind::sgd:
      break;
  }
  return "sgd";
}

std::string_view name_of(ownership_kind kind) {
  switch (kind) {
    case ownership_kind::shared:
      return "shared";
    case ownership_kind::blocks:
      return "blocks";
    case ownership_kind::automatic:
      break;
  }
  return "auto";
}

std::string_view name_of(l2_form form) {
  switch (form) {
    case l2_form::per_occurrence:
      return "per_occurrence";
    case l2_form::two_pass:
      return "two_pass";
    case l2_form::by_degree:
      break;
  }
  return "by_degree";
}

std::string_view name_of(sharing_kind kind) {
  switch (kind) {
    case sharing_kind::direct:
      return "direct";
    case sharing_kind::buffered:
      return "buffered";
    case sharing_kind::head:
      return "head";
    case sharing_kind::automatic:
      break;
  }
  return "auto";
}

std::string_view name_of(access_kind kind) {
  switch (kind) {
    case access_kind::direct:
      return "direct";
    case access_kind::buffered:
      return "buffered";
    case access_kind::head:
      return "head";
    case access_kind::deterministic:
      return "deterministic";
    case access_kind::gathered:
      return "gathered";
    case access_kind::averaged:
      return "averaged";
    case access_kind::alone:
      break;
  }
  return "alone";
}

std::string_view name_of(ring_rule rule) {
  switch (rule) {
    case ring_rule::average:
      return "average";
    case ring_rule::released:
      return "released";
    case ring_rule::deltas:
      break;
  }
  return "deltas";
}

std::string_view name_of(row_order order) {
  switch (order) {
    case row_order::permuted:
      return "permuted";
    case row_order::replacement:
      return "replacement";
    case row_order::sequential:
      return "sequential";
    case row_order::chunked:
      break;
  }
  return "chunked";
}

std::string_view name_of(sharding kind) {
  return kind == sharding::claimed ? "claimed" : "fixed";
}

std::string_view name_of(schedule_kind kind) {
  switch (kind) {
    case schedule_kind::constant:
      return "constant";
    case schedule_kind::inverse:
      return "inverse";
    case schedule_kind::linear:
      return "linear";
    case schedule_kind::cosine:
      return "cosine";
    case schedule_kind::plateau:
      return "plateau";
    case schedule_kind::geometric:
      break;
  }
  return "geometric";
}

std::string_view name_of(column_scaling kind) {
  switch (kind) {
    case column_scaling::automatic:
      return "auto";
    case column_scaling::max_abs:
      return "max_abs";
    case column_scaling::standard:
      return "standard";
    case column_scaling::none:
      break;
  }
  return "none";
}

std::string_view name_of(thread_team_kind kind) {
  switch (kind) {
    case thread_team_kind::tbb:
      return "tbb";
    case thread_team_kind::std:
      return "std";
    case thread_team_kind::openmp:
      break;
  }
  return "openmp";
}

std::string_view name_of(memory_kind kind) {
  switch (kind) {
    case memory_kind::pinned:
      return "pinned";
    case memory_kind::managed:
      return "managed";
    case memory_kind::device:
      break;
  }
  return "device";
}

std::string_view name_of(storage_kind kind) {
  return kind == storage_kind::half ? "half" : "float";
}

std::string divergence_advice(const train_result& result) {
  using detail::to_short_text;
  return (std::isfinite(result.objective) ? "the run ended worse than it began, after epoch "
                                          : "the loss is no longer a finite number in epoch ") +
         std::to_string(result.epochs) + ": the step " + to_short_text(result.step) + " is too large; lower it, to " +
         to_short_text(result.step / 10.0) + " for a start";
}

}  // namespace hogwild
