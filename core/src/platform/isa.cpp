// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/isa.hpp>

#include <string>

#include <hogwild/error.hpp>

#ifdef HOGWILD_X86_KERNELS
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hogwild {
namespace {

#ifdef HOGWILD_X86_KERNELS

// The compiler's builtins also check whether the system saves the wide registers. They do not all support F16C, which
// works if AVX does and the CPU has it.
bool cpu_has_avx2() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned f16c = 1u << 29;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
         (c & f16c) != 0;
}
bool cpu_has_avx512() {
  return cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
bool cpu_is_intel() {
  return __builtin_cpu_is("intel");
}
bool cpu_has_avx512_bf16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bf16 = 1u << 5;
  return cpu_has_avx512() && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & bf16) != 0;
}
bool cpu_has_amx_bf16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bf16_and_tiles = 1u << 22 | 1u << 24;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & bf16_and_tiles) != bf16_and_tiles) return false;
  // Linux saves the tiles of threads of processes that have asked for it (ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
  return ::syscall(SYS_arch_prctl, 0x1023, 18) == 0;
}

#else

bool cpu_has_avx2() {
  return false;
}
bool cpu_has_avx512() {
  return false;
}
bool cpu_is_intel() {
  return false;
}
bool cpu_has_avx512_bf16() {
  return false;
}
bool cpu_has_amx_bf16() {
  return false;
}

#endif

isa fastest() {
  // Gathers are fast on Intel's server cores; on AMD's they take longer than the loads that they replace.
  if (has_isa(isa::avx512) && cpu_is_intel()) return isa::avx512;
  return has_isa(isa::avx2) ? isa::avx2 : isa::scalar;
}

}  // namespace

bool has_isa(isa set) {
  switch (set) {
    case isa::automatic:
    case isa::scalar:
      return true;
    case isa::avx2:
      return cpu_has_avx2();
    case isa::avx512:
      return cpu_has_avx512();
  }
  return false;
}

isa choose_isa(isa asked) {
  if (asked == isa::automatic) return fastest();
  if (has_isa(asked)) return asked;
  std::string there;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) {
    if (has_isa(set)) there += (there.empty() ? "" : ", ") + std::string(name_of(set));
  }
  throw config_error("instruction set " + std::string(name_of(asked)) + " is not available here: this machine has " +
                     there + "; name one of these, or leave the choice to auto");
}

isa choose_dense_isa(isa asked) {
  return asked == isa::automatic && has_isa(isa::avx512) ? isa::avx512 : choose_isa(asked);
}

bool has_avx512_bf16() {
  return cpu_has_avx512_bf16();
}

bool has_amx_bf16() {
  static const bool has = cpu_has_amx_bf16();
  return has;
}

std::string_view name_of(isa set) {
  switch (set) {
    case isa::automatic:
      return "auto";
    case isa::scalar:
      return "scalar";
    case isa::avx2:
      return "avx2";
    case isa::avx512:
      return "avx512";
  }
  return "unknown";
}

}  // namespace hogwild
