// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/search.hpp>

namespace hogwild::detail {

/// The first line of a search's journal: everything that its results and decisions depend on.
std::string journal_title(const search_space& space, const search_options& options);

}  // namespace hogwild::detail
