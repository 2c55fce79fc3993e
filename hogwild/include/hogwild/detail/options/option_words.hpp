// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/option_values.hpp>

// The words for the values that an option may take, spelled alike on the command line, in records and in messages: one
// table for each enumeration, in the order in which help lists the words. (name_of() of instruction sets is core's
// own.)

namespace hogwild::detail {

/// A value of an enumeration, and its word.
template <class E>
struct enumerator {
  std::string_view word;
  E value;
};

/// The values of E; none for an enumeration without a table.
template <class E>
inline constexpr std::array<enumerator<E>, 0> enumerators{};

template <>
inline constexpr auto enumerators<update_kind> =
    std::to_array<enumerator<update_kind>>({{"lossy", update_kind::lossy},
                                            {"exact", update_kind::exact},
                                            {"locked", update_kind::locked},
                                            {"edge_locked", update_kind::edge_locked},
                                            {"ordered", update_kind::ordered}});
template <>
inline constexpr auto enumerators<optimizer_kind> = [] {
  std::array<enumerator<optimizer_kind>, optimizers.size()> words{};
  std::ranges::transform(optimizers, words.begin(), [](const optimizer_facts& o) -> enumerator<optimizer_kind> {
    return {o.name, o.kind};
  });
  return words;
}();
template <>
inline constexpr auto enumerators<ownership_kind> = std::to_array<enumerator<ownership_kind>>(
    {{"auto", ownership_kind::automatic}, {"shared", ownership_kind::shared}, {"blocks", ownership_kind::blocks}});
template <>
inline constexpr auto enumerators<l2_form> = std::to_array<enumerator<l2_form>>(
    {{"by_degree", l2_form::by_degree}, {"per_occurrence", l2_form::per_occurrence}, {"two_pass", l2_form::two_pass}});
template <>
inline constexpr auto enumerators<sharing_kind> =
    std::to_array<enumerator<sharing_kind>>({{"auto", sharing_kind::automatic},
                                             {"direct", sharing_kind::direct},
                                             {"buffered", sharing_kind::buffered},
                                             {"head", sharing_kind::head}});
template <>
inline constexpr auto enumerators<access_kind> =
    std::to_array<enumerator<access_kind>>({{"alone", access_kind::alone},
                                            {"direct", access_kind::direct},
                                            {"buffered", access_kind::buffered},
                                            {"head", access_kind::head},
                                            {"deterministic", access_kind::deterministic},
                                            {"gathered", access_kind::gathered},
                                            {"averaged", access_kind::averaged}});
template <>
inline constexpr auto enumerators<ring_rule> = std::to_array<enumerator<ring_rule>>(
    {{"deltas", ring_rule::deltas}, {"average", ring_rule::average}, {"released", ring_rule::released}});
template <>
inline constexpr auto enumerators<row_order> =
    std::to_array<enumerator<row_order>>({{"chunked", row_order::chunked},
                                          {"permuted", row_order::permuted},
                                          {"replacement", row_order::replacement},
                                          {"sequential", row_order::sequential}});
template <>
inline constexpr auto enumerators<sharding> = std::to_array<enumerator<sharding>>({{"claimed", sharding::claimed},
                                                                                   {"fixed", sharding::fixed}});
template <>
inline constexpr auto enumerators<schedule_kind> =
    std::to_array<enumerator<schedule_kind>>({{"geometric", schedule_kind::geometric},
                                              {"inverse", schedule_kind::inverse},
                                              {"linear", schedule_kind::linear},
                                              {"constant", schedule_kind::constant},
                                              {"cosine", schedule_kind::cosine},
                                              {"plateau", schedule_kind::plateau}});
template <>
inline constexpr auto enumerators<column_scaling> =
    std::to_array<enumerator<column_scaling>>({{"none", column_scaling::none},
                                               {"auto", column_scaling::automatic},
                                               {"max_abs", column_scaling::max_abs},
                                               {"standard", column_scaling::standard}});
template <>
inline constexpr auto enumerators<thread_team_kind> = std::to_array<enumerator<thread_team_kind>>(
    {{"openmp", thread_team_kind::openmp}, {"tbb", thread_team_kind::tbb}, {"std", thread_team_kind::std}});
template <>
inline constexpr auto enumerators<memory_kind> = std::to_array<enumerator<memory_kind>>(
    {{"device", memory_kind::device}, {"pinned", memory_kind::pinned}, {"managed", memory_kind::managed}});
template <>
inline constexpr auto enumerators<storage_kind> =
    std::to_array<enumerator<storage_kind>>({{"float", storage_kind::single}, {"half", storage_kind::half}});
template <>
inline constexpr auto enumerators<hogwild::isa> =
    std::to_array<enumerator<hogwild::isa>>({{"auto", hogwild::isa::automatic},
                                             {"scalar", hogwild::isa::scalar},
                                             {"avx2", hogwild::isa::avx2},
                                             {"avx512", hogwild::isa::avx512}});
template <>
inline constexpr auto enumerators<transport_kind> = std::to_array<enumerator<transport_kind>>(
    {{"in_process", transport_kind::in_process}, {"shared_segment", transport_kind::shared_segment}});
template <>
inline constexpr auto enumerators<sync_rule> =
    std::to_array<enumerator<sync_rule>>({{"gradients", sync_rule::gradients}, {"average", sync_rule::average}});
template <>
inline constexpr auto enumerators<delta_values> =
    std::to_array<enumerator<delta_values>>({{"float", delta_values::as_stored}, {"half", delta_values::as_half}});

/// The word for a value; empty if there is none.
template <class E>
constexpr std::string_view word_for(E value) {
  for (const enumerator<E>& each : enumerators<E>)
    if (each.value == value) return each.word;
  return {};
}

}  // namespace hogwild::detail
