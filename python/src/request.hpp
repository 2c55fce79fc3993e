// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include <hogwild/registry.hpp>

#include <train_request.hpp>

namespace hogwild::python {

/// What these words ask for, as they would stand behind `hogwild train`: options have one meaning. `source` is what
/// messages call the rows. Threads are std threads, which survive a fork, and are bound to no CPU. Throws config_error.
cli::train_request request_of(const std::vector<std::string>& words, const std::string& source);

/// What the library says of itself and of its models: for the package, which has no lists of its own.
nanobind::dict facts_of_models();

}  // namespace hogwild::python
