// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/loop/loop_options.hpp>

namespace hogwild {

/// What a worker throws that finds no way to train: nobody has written the step of this model that the options ask for
/// on the arrays that the worker has. Options are refused before workers begin, so this is a fault of ours
/// (exit_code::internal); to return instead would end a run that nobody has trained.
[[noreturn]] void throw_untrained(std::string_view model, const loop_options& options);
/// The same of arrays that nobody has written.
[[noreturn]] void throw_unshared(const loop_options& options);

}  // namespace hogwild
