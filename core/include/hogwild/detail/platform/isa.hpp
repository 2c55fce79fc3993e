// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <hogwild/option_values.hpp>

namespace hogwild {

/// Whether this build has the kernels, and this CPU and its system can run them; true for automatic and scalar.
bool has_isa(isa set);

/// The instruction set that will run. For `automatic` it follows from vendor and features, never from a measurement, so
/// a machine always chooses the same. Throws config_error, with the available ones, if `asked` is not available.
isa choose_isa(isa asked);

/// The same for kernels of dense rows, which do not gather: `automatic` is the widest available.
isa choose_dense_isa(isa asked);

/// Whether this build has the kernels that multiply bfloat16, and this CPU and its system can run them: those of
/// AVX-512, and those of AMX, for which the first call asks the system on behalf of the whole process.
bool has_avx512_bf16();
bool has_amx_bf16();

/// "auto", "scalar", "avx2", "avx512".
std::string_view name_of(isa set);

}  // namespace hogwild
