// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <hogwild/option_values.hpp>

namespace hogwild {

/// Whether this build has the kernels and this CPU and its system can run them; true for automatic and scalar.
bool has_isa(isa set);

/// What will run: for automatic a rule by vendor and features, never a measurement, so that a machine always chooses
/// the same. Throws config_error, with what there is, where `asked` is not there.
isa choose_isa(isa asked);

/// The same for kernels of dense rows, which gather nothing: automatic is the widest that is there.
isa choose_dense_isa(isa asked);

/// "auto", "scalar", "avx2", "avx512".
std::string_view name_of(isa set);

}  // namespace hogwild
