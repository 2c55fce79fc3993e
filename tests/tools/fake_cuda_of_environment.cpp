// SPDX-License-Identifier: Apache-2.0
// For the command over the stand-in for CUDA's runtime: HOGWILD_FAKE_CUDA is the number of the call from which on all
// calls fail. Kernels train nothing, and measure losses of 0.
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "kernels/loss_rows.hpp"
#include "support/fake_cuda.hpp"

namespace {

using hogwild::device::loss_sums_of;
using measuring = hogwild::device::loss_work<hogwild::device::margin_work>;

/// For margin models: a kernel that does not count updates measures.
std::function<void()> do_nothing_or_measure(void** arguments) {
  const auto& work = *static_cast<const hogwild::device::margin_work*>(arguments[0]);
  if (work.updates != nullptr) return [] {};
  return [losses = static_cast<const measuring&>(work)] {
    std::fill_n(losses.loss_sums, loss_sums_of(losses.count), 0.0);
  };
}

[[maybe_unused]] const bool machine_is_set = [] {
  const char* const call = std::getenv("HOGWILD_FAKE_CUDA");
  hogwild::test::set_fake_machine({.failing_call = call == nullptr ? 0 : std::strtoul(call, nullptr, 10),
                                   .for_good = true,
                                   .kernel = do_nothing_or_measure});
  return true;
}();

}  // namespace
