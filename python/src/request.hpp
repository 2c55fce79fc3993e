// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include <hogwild/registry.hpp>

#include <train_request.hpp>

namespace hogwild::python {

/// Parses the words as `hogwild train` does, so that options have one meaning. Messages call the rows `source`. Threads
/// are std threads, which survive a fork, and are not bound to CPUs. Throws config_error.
cli::train_request request_of(const std::vector<std::string>& words, const std::string& source);

/// The names of all options of a run, as they are in Python, with their help; empty for those that Python refuses.
nanobind::dict option_texts();

/// Facts about the library and its models for the package, which has no lists of its own.
nanobind::dict facts_of_models();

}  // namespace hogwild::python
