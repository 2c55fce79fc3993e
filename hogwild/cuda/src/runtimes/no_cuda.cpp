// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <hogwild/error.hpp>

#include "runtime.hpp"

namespace hogwild::device {

device_facts facts_of_cuda(int number) {
  throw resource_error("device " + std::to_string(number) +
                       " cannot be used, since this build has no CUDA: build where nvcc is found "
                       "(HOGWILD_WITH_CUDA)");
}

std::unique_ptr<runtime> open_cuda(int number) {
  facts_of_cuda(number);  // always throws
  return nullptr;
}

}  // namespace hogwild::device
