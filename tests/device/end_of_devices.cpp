// SPDX-License-Identifier: Apache-2.0
// Ends what CUDA has of the program behind its last test: compute-sanitizer tells of memory that was not given back
// when that ends, and only then.
#include <cuda_runtime_api.h>

#include <gtest/gtest.h>

namespace {

class end_of_devices final : public testing::Environment {
 public:
  /// Resets the device that the main thread used last. If there is none, CUDA reports an error, which is ignored.
  void TearDown() override { cudaDeviceReset(); }
};

[[maybe_unused]] const auto* const at_the_end = testing::AddGlobalTestEnvironment(new end_of_devices);

}  // namespace
