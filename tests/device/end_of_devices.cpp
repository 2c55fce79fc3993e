// SPDX-License-Identifier: Apache-2.0
// Destroys the program's CUDA context after its last test: only then does compute-sanitizer report memory that was not
// freed.
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
