// SPDX-License-Identifier: Apache-2.0
#include "kernels/cut/loops.hpp"
#include "kernels/instruction_sets.hpp"

namespace hogwild::detail {

const cut_kernels cut_avx2 = cut_loops::table;

}  // namespace hogwild::detail
