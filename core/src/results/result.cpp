// SPDX-License-Identifier: Apache-2.0
#include <hogwild/result.hpp>

namespace hogwild {

std::string_view to_string(run_status status) {
  switch (status) {
    case run_status::target:
      return "target";
    case run_status::converged:
      return "converged";
    case run_status::diverged:
      return "diverged";
    case run_status::stopped:
      return "stopped";
    case run_status::done:
      break;
  }
  return "done";
}

}  // namespace hogwild
