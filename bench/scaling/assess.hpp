// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "scaling.hpp"

namespace hogwild::bench {

/// Decides whether what was run may be told as fast, and works out its figures where it may. A skipped one stays so.
void assess(point_report& p, const bench_options& options, std::size_t nonzeros);
void assess(rival_report& r, const bench_options& options, const model_settings& reference, std::size_t nonzeros);

}  // namespace hogwild::bench
