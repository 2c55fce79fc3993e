// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/detail/platform/enumeration_text.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

// The names of option values, spelled alike on the command line, in records and in messages.

namespace hogwild {

/// The word of an option's value. Each enumeration of <hogwild/option_values.hpp> has such a function.
///@{
std::string_view name_of(update_kind kind);
std::string_view name_of(optimizer_kind kind);
std::string_view name_of(sharing_kind kind);
std::string_view name_of(access_kind kind);
std::string_view name_of(ownership_kind kind);
std::string_view name_of(l2_form form);
std::string_view name_of(ring_rule rule);
std::string_view name_of(row_order order);
std::string_view name_of(sharding kind);
std::string_view name_of(schedule_kind kind);
std::string_view name_of(column_scaling kind);
std::string_view name_of(thread_team_kind kind);
std::string_view name_of(memory_kind kind);
std::string_view name_of(storage_kind kind);
std::string_view name_of(transport_kind kind);
std::string_view name_of(sync_rule rule);
std::string_view name_of(delta_values kind);
std::string_view name_of(isa set);  // defined by core
///@}

/// Advice for the user of a run that diverged.
std::string divergence_advice(const train_result& result);

}  // namespace hogwild
