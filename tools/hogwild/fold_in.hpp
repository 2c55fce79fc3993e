// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/saved_model.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

/// A model of ratings or pairs that also knows the users of a file, or knows them anew. They are trained as the model
/// was by default, with its items as they are; the result does not depend on the number of threads. Items that the
/// model does not know are left out, and told. `files` has chosen the format for the model. Throws input_error for
/// other models, and for a file without an item of the model.
saved_model fold_in(const saved_model& saved, const std::string& path, const data_options& files);

}  // namespace hogwild::cli
