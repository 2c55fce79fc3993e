// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// Called by a worker that cannot train: there is no step of this model for the options on the arrays that the worker
/// has. Options are refused before workers begin, so this is an internal fault (exit_code::internal); returning instead
/// would end a run in which nothing was trained.
[[noreturn]] void throw_untrained(std::string_view model, const loop_options& options);
/// The same where there are no arrays of this sharing under this update policy.
[[noreturn]] void throw_unshared(const loop_options& options);

}  // namespace hogwild
