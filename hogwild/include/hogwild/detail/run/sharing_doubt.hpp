// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/run/choose.hpp>

namespace hogwild {

/// The beginning of the note.
inline constexpr std::string_view sharing_in_doubt = "how many workers train, and where they write, was decided while";

/// A note that a choice under `--sharing auto` may be wrong, because other processes took the fraction `missed` of the
/// measured times (line_speed::missed). Empty if `missed` is no more than on an idle machine, or if times that are as
/// much shorter, or as much longer, lead to the same kind of sharing and as many workers.
std::string doubt_about(const sharing_facts& facts, const sharing_choice& chosen, double missed);

}  // namespace hogwild
