// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/bf16_forms.hpp"

#include <vector>

#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

std::span<const bf16_kernels* const> bf16_forms() {
  static const std::vector<const bf16_kernels*> forms = [] {
    std::vector<const bf16_kernels*> all;
#ifdef HOGWILD_X86_KERNELS
    if (has_amx_bf16()) all.push_back(&detail::bf16_by_amx);
    if (has_avx512_bf16()) all.push_back(&detail::bf16_by_avx512);
#endif
    return all;
  }();
  return forms;
}

const bf16_kernels& bf16_kernels_here() {
  if (bf16_forms().empty())
    throw config_error(
        "products in bf16 need instructions that this processor, its system or this build does not have: AMX "
        "(amx_tile and amx_bf16 among the flags in /proc/cpuinfo) or AVX-512 (avx512_bf16); leave out --products, "
        "whose default is float, or train on a machine with one of them");
  return *bf16_forms().front();
}

}  // namespace hogwild
