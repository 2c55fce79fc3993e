// SPDX-License-Identifier: Apache-2.0
// In the command over the stand-in for CUDA's runtime: HOGWILD_FAKE_CUDA is the number of the call that fails, and of
// all after it. Kernels do nothing.
#include <cstdlib>

#include "support/fake_cuda.hpp"

namespace {

[[maybe_unused]] const bool machine_is_set = [] {
  const char* const call = std::getenv("HOGWILD_FAKE_CUDA");
  hogwild::test::set_fake_machine(
      {.failing_call = call == nullptr ? 0 : std::strtoul(call, nullptr, 10), .for_good = true});
  return true;
}();

}  // namespace
