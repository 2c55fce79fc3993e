// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <deque>
#include <string>

#include <hogwild/error.hpp>

#include "runtime.hpp"

namespace hogwild::device {
namespace {

std::string what_of(cudaError_t code) {
  return std::string(cudaGetErrorString(code)) + " (" + cudaGetErrorName(code) + ")";
}

/// The sentence for what CUDA has refused while it did something to `device`.
[[noreturn]] void refuse(cudaError_t code, const std::string& did) {
  switch (code) {
    case cudaErrorInsufficientDriver: {
      int version = 0;
      cudaDriverGetVersion(&version);
      throw resource_error(
          version == 0
              ? "there is no driver for CUDA devices on this machine: install NVIDIA's, or take --device emulated"
              : "the driver for CUDA devices is too old for this build (" + what_of(code) +
                    "): install a newer one, or take --device emulated");
    }
    case cudaErrorNoDevice:
      throw resource_error(
          "the driver finds no CUDA device: look at nvidia-smi and CUDA_VISIBLE_DEVICES, or take "
          "--device emulated");
    case cudaErrorNoKernelImageForDevice:
      throw resource_error(
          "this build has no code for that device: build with its architecture in "
          "CMAKE_CUDA_ARCHITECTURES");
    default:
      throw resource_error("the device failed to " + did + ": " + what_of(code) +
                           "; the process that drove it has to be started anew");
  }
}

void require(cudaError_t code, const char* did) {
  if (code != cudaSuccess) refuse(code, did);
}

class cuda_runtime final : public runtime {
 public:
  explicit cuda_runtime(int number) : number_(number) {
    int count = 0;
    require(cudaGetDeviceCount(&count), "be counted");
    if (number >= count)
      throw resource_error("there is no device " + std::to_string(number) + ": this machine has " +
                           std::to_string(count) + (count == 1 ? " device" : " devices") + ", counted from 0");
    require(cudaSetDevice(number), "be chosen");
    cudaDeviceProp about{};
    require(cudaGetDeviceProperties(&about, number), "tell what it is");
    facts_.name = about.name;
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a queue");
  }
  ~cuda_runtime() override {
    cudaSetDevice(number_);
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }
  cuda_runtime(const cuda_runtime&) = delete;
  cuda_runtime& operator=(const cuda_runtime&) = delete;

  const device_facts& facts() const override { return facts_; }

  void* allocate(std::size_t bytes) override {
    here();
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
      std::size_t left = 0, all = 0;
      cudaMemGetInfo(&left, &all);
      throw resource_error("the device has no room for " + std::to_string(bytes) + " bytes: " + std::to_string(left) +
                           " of " + std::to_string(all) + " are free");
    }
    require(code, "give memory");
    return memory;
  }
  void release(void* memory) noexcept override {
    cudaSetDevice(number_);
    cudaFree(memory);  // waits for what is queued
  }

  void upload(void* to, const void* from, std::size_t bytes) override {
    here();
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "take data");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    here();
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "give data");
  }
  void zero(void* memory, std::size_t bytes) override {
    here();
    require(cudaMemsetAsync(memory, 0, bytes, stream_), "clear memory");
  }
  void run(const kernel_launch& launch) override {
    here();
    require(static_cast<cudaError_t>(launch.on_device(stream_)), "start a kernel");
  }

  std::uint64_t mark() override {
    here();
    cudaEvent_t event = nullptr;
    require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "make an event");
    events_.push_back(event);
    require(cudaEventRecord(event, stream_), "record an event");
    return passed_ + events_.size();
  }
  void wait(std::uint64_t mark) override {
    here();
    for (; passed_ < mark; ++passed_) {
      require(cudaEventSynchronize(events_.front()), "train");
      cudaEventDestroy(events_.front());
      events_.pop_front();
    }
  }
  bool reached(std::uint64_t mark) override {
    here();
    for (; passed_ < mark; ++passed_) {
      const cudaError_t code = cudaEventQuery(events_.front());
      if (code == cudaErrorNotReady) return false;
      require(code, "do what is queued");
      cudaEventDestroy(events_.front());
      events_.pop_front();
    }
    return true;
  }

 private:
  /// CUDA's current device is the thread's, and the program may have others.
  void here() const { require(cudaSetDevice(number_), "be chosen"); }

  int number_;
  device_facts facts_;
  cudaStream_t stream_ = nullptr;
  std::deque<cudaEvent_t> events_;  ///< of marks that nobody has waited for yet
  std::uint64_t passed_ = 0;
};

}  // namespace

std::unique_ptr<runtime> open_cuda(int number) {
  return std::make_unique<cuda_runtime>(number);
}

}  // namespace hogwild::device
