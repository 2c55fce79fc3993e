// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/error.hpp>

#include "runtime.hpp"

namespace hogwild::device {
namespace {

struct known_refusal {
  cudaError_t code;
  const char* sentence;
};

constexpr known_refusal refusals[] = {
    {cudaErrorNoDevice, "the driver finds no CUDA device: look at nvidia-smi and CUDA_VISIBLE_DEVICES"},
    {cudaErrorNoKernelImageForDevice,
     "this build has no code for that device: build with its architecture in CMAKE_CUDA_ARCHITECTURES"},
    {cudaErrorMemoryAllocation,
     "the device's memory is used up: look at nvidia-smi for who else uses it, or train on fewer rows or columns"},
    {cudaErrorDevicesUnavailable, "the device is busy or is for another process alone: look at nvidia-smi"},
};

std::string refused_for_its_driver() {
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0)
    return "there is no driver for CUDA devices on this machine: install NVIDIA's";
  return "the driver for CUDA devices is too old for this build: it knows CUDA " + std::to_string(version / 1000) +
         "." + std::to_string(version % 1000 / 10) + ": install a newer one";
}

/// Throws the message for the operation that CUDA refused; `did` names it.
[[noreturn]] void refuse(cudaError_t code, const char* did) {
  cudaGetLastError();  // clears the error, so that no later call reports it
  if (code == cudaErrorInsufficientDriver) throw resource_error(refused_for_its_driver());
  for (const known_refusal& known : refusals)
    if (known.code == code) throw resource_error(known.sentence);
  throw resource_error("the device failed to " + std::string(did) + ": " + cudaGetErrorString(code) + " (" +
                       cudaGetErrorName(code) + "); the process that drove it has to be started anew");
}

void require(cudaError_t code, const char* did) {
  if (code != cudaSuccess) refuse(code, did);
}

/// The device is unchanged after that.
[[noreturn]] void refuse_registration(cudaError_t code, std::size_t bytes) {
  cudaGetLastError();
  throw resource_error("CUDA does not register " + std::to_string(bytes) +
                       " bytes of this machine's memory: " + cudaGetErrorString(code) + ", " + cudaGetErrorName(code));
}

/// Makes a device the preferred place of managed memory, and moves it there.
void move_managed(std::span<std::byte> memory, int number, cudaStream_t queue) {
#if CUDART_VERSION >= 13000
  const cudaMemLocation to{.type = cudaMemLocationTypeDevice, .id = number};
  const auto fetch = [&] { return cudaMemPrefetchAsync(memory.data(), memory.size(), to, 0, queue); };
#else
  const int to = number;
  const auto fetch = [&] { return cudaMemPrefetchAsync(memory.data(), memory.size(), to, queue); };
#endif
  require(cudaMemAdvise(memory.data(), memory.size(), cudaMemAdviseSetPreferredLocation, to), "keep managed memory");
  require(fetch(), "fetch managed memory");
}

/// A queue of the current device.
class cuda_stream {
 public:
  cuda_stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a queue"); }
  ~cuda_stream() { cudaStreamDestroy(stream_); }
  cuda_stream(const cuda_stream&) = delete;
  cuda_stream& operator=(const cuda_stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event of the current device. Waiting threads sleep.
class cuda_event {
 public:
  cuda_event() {
    require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync), "make an event");
  }
  ~cuda_event() { cudaEventDestroy(event_); }
  cuda_event(const cuda_event&) = delete;
  cuda_event& operator=(const cuda_event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Accesses between devices that this process has opened here, with the number of runtimes that use each: the last one
/// closes it, since without it kernels of the others would fault.
struct open_ways {
  std::mutex mutex;
  std::map<std::pair<int, int>, std::size_t> users;
};
open_ways& all_ways() {
  static auto* const all = new open_ways();  // never destroyed: runtimes may end with the program
  return *all;
}

/// Makes the device the calling thread's.
device_facts chosen(int number) {
  device_facts facts = facts_of_cuda(number);
  require(cudaSetDevice(number), "be chosen");
  return facts;
}

class cuda_runtime final : public runtime {
 public:
  explicit cuda_runtime(int number) : number_(number), facts_(chosen(number)) {}
  ~cuda_runtime() override {
    cudaSetDevice(number_);  // for the queue and its events
    drain();
    const std::lock_guard lock(all_ways().mutex);
    for (const int other : opened_)
      if (--all_ways().users[{number_, other}] == 0) cudaDeviceDisablePeerAccess(other);
  }
  cuda_runtime(const cuda_runtime&) = delete;
  cuda_runtime& operator=(const cuda_runtime&) = delete;

  const device_facts& facts() const override { return facts_; }
  peer_access reach(const device_facts& other) override {
    if (other.emulated) return peer_access::none;
    if (other.number == number_) return peer_access::atomic;
    int reaches = 0, adds = 0;
    require(cudaDeviceCanAccessPeer(&reaches, number_, other.number), "tell what it reaches");
    if (reaches == 0 || !open_way_to(other.number)) return peer_access::none;
    require(cudaDeviceGetP2PAttribute(&adds, cudaDevP2PAttrNativeAtomicSupported, number_, other.number),
            "tell how it adds");
    return adds != 0 ? peer_access::atomic : peer_access::plain;
  }
  std::uint64_t free_bytes() const override {
    here();
    std::size_t left = 0, all = 0;
    require(cudaMemGetInfo(&left, &all), "tell its free memory");
    return left;
  }

  void* allocate(std::size_t bytes) override {
    here();
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw no_room("the device has no room for " + std::to_string(bytes) + " bytes: " + std::to_string(free_bytes()) +
                    " are free; train on fewer rows or columns");
    }
    require(code, "give memory");
    return memory;
  }
  void* allocate_managed(std::size_t bytes) override {
    here();
    void* memory = nullptr;
    require(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal), "give managed memory");
    std::memset(memory, 0, bytes);
    return memory;
  }
  void release(void* memory) noexcept override {
    cudaSetDevice(number_);
    cudaFree(memory);  // waits for queued work
  }

  void* register_host(void* memory, std::size_t bytes) override {
    here();
    const cudaError_t code = cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
    if (code == cudaErrorHostMemoryAlreadyRegistered) return registered_by_others(memory, bytes);
    if (code != cudaSuccess) refuse_registration(code, bytes);
    void* on_device = nullptr;
    const cudaError_t unmapped = cudaHostGetDevicePointer(&on_device, memory, 0);
    if (unmapped == cudaSuccess) return on_device;
    cudaHostUnregister(memory);
    refuse_registration(unmapped, bytes);
  }
  void unregister_host(void* memory) noexcept override {
    cudaSetDevice(number_);
    drain();
    if (const auto other = std::ranges::find(of_others_, memory); other != of_others_.end())
      of_others_.erase(other);
    else
      cudaHostUnregister(memory);
  }
  void take_near(std::span<std::byte> managed) override {
    here();
    move_managed(managed, number_, queue_.get());
  }

  void upload(void* to, const void* from, std::size_t bytes) override {
    here();
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, queue_.get()), "take data");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    here();
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, queue_.get()), "give data");
  }
  void zero(void* memory, std::size_t bytes) override {
    here();
    require(cudaMemsetAsync(memory, 0, bytes, queue_.get()), "clear memory");
  }
  void run(const kernel_launch& launch) override {
    if (!launch.on_device)
      throw resource_error("this program has no kernels of the model for a device: name it in a .cu file");
    here();
    if (is_ahead_) {
      require(cudaEventRecord(arrived_.get(), ahead_.get()), "record an event");
      require(cudaStreamWaitEvent(queue_.get(), arrived_.get(), 0), "wait for data");
      is_ahead_ = false;
    }
    require(static_cast<cudaError_t>(launch.on_device(queue_.get())), "start a kernel");
  }
  /// Memory that is not pinned has been read when this returns; meanwhile the device runs kernels.
  void upload_ahead(void* to, const void* from, std::size_t bytes) override {
    here();
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, ahead_.get()), "take data");
    is_ahead_ = true;
  }

  std::uint64_t mark() override {
    here();
    require(cudaEventRecord(marks_.emplace_back().get(), queue_.get()), "record an event");
    return passed_ + marks_.size();
  }
  void wait(std::uint64_t mark) override {
    here();
    for (; passed_ < mark; ++passed_) {
      require(cudaEventSynchronize(marks_.front().get()), "train");
      marks_.pop_front();
    }
  }
  bool reached(std::uint64_t mark) override {
    here();
    for (; passed_ < mark; ++passed_) {
      const cudaError_t code = cudaEventQuery(marks_.front().get());
      if (code == cudaErrorNotReady) {
        cudaGetLastError();  // clears it, since it is no error
        return false;
      }
      require(code, "do what is queued");
      marks_.pop_front();
    }
    return true;
  }
  void drain() noexcept override {
    cudaStreamSynchronize(ahead_.get());
    cudaStreamSynchronize(queue_.get());
  }

 private:
  /// Opens access to another device, and returns whether it is open; the program itself may have opened it.
  bool open_way_to(int other) {
    here();
    const std::lock_guard lock(all_ways().mutex);
    std::size_t& users = all_ways().users[{number_, other}];
    if (users == 0) {
      const cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
      if (code == cudaErrorPeerAccessAlreadyEnabled || code == cudaErrorTooManyPeers) {
        cudaGetLastError();
        return code == cudaErrorPeerAccessAlreadyEnabled;
      }
      require(code, "reach another device");
    }
    ++users;
    opened_.push_back(other);
    return true;
  }

  /// The device's address of host memory that others have registered. Throws registered_in_part unless every page is
  /// registered: host memory has the same addresses for devices, so the first and the last byte tell nothing about
  /// those between.
  void* registered_by_others(void* memory, std::size_t bytes) {
    constexpr std::size_t page = 4096;
    cudaGetLastError();
    const auto on_device = [&](std::size_t at) {
      void* there = nullptr;
      const cudaError_t code = cudaHostGetDevicePointer(&there, static_cast<std::byte*>(memory) + at, 0);
      return code == cudaSuccess ? static_cast<std::byte*>(there) : nullptr;
    };
    std::byte* const first = on_device(0);
    bool whole = first != nullptr && on_device(bytes - 1) == first + bytes - 1;
    for (std::size_t at = page; whole && at < bytes; at += page) whole = on_device(at) == first + at;
    if (!whole) {
      cudaGetLastError();
      throw registered_in_part("of " + std::to_string(bytes) +
                               " bytes of this machine's memory somebody else in this program has registered a part "
                               "with CUDA, which then copies none of them: give that back, or register them all");
    }
    of_others_.push_back(memory);
    return first;
  }

  /// CUDA's current device belongs to the thread, and the program may use others.
  void here() const { require(cudaSetDevice(number_), "be chosen"); }

  int number_;
  device_facts facts_;
  cuda_stream queue_;
  cuda_stream ahead_;             ///< for uploads beside the queue
  cuda_event arrived_;            ///< behind the last such upload, for kernels to wait for
  bool is_ahead_ = false;         ///< there are uploads that no kernel waits for yet
  std::deque<cuda_event> marks_;  ///< not waited for yet
  std::uint64_t passed_ = 0;
  std::vector<void*> of_others_;  ///< memory registered here that others had registered before
  std::vector<int> opened_;       ///< devices to which it uses an open access (all_ways())
};

}  // namespace

device_facts facts_of_cuda(int number) {
  int count = 0;
  require(cudaGetDeviceCount(&count), "be counted");
  if (number < 0 || number >= count)
    throw resource_error("there is no device " + std::to_string(number) + ": this machine has " +
                         std::to_string(count) + (count == 1 ? " device" : " devices") + ", counted from 0");
  cudaDeviceProp about{};
  require(cudaGetDeviceProperties(&about, number), "tell what it is");
  device_facts facts;
  facts.name = about.name;
  facts.number = number;
  facts.memory_bytes = about.totalGlobalMem;
  facts.multiprocessors = about.multiProcessorCount;
  facts.compute_major = about.major;
  facts.compute_minor = about.minor;
  facts.native_host_atomics = about.hostNativeAtomicSupported != 0;
  facts.concurrent_managed_access = about.concurrentManagedAccess != 0;
  require(cudaDriverGetVersion(&facts.driver_version), "tell its driver's version");
  require(cudaRuntimeGetVersion(&facts.runtime_version), "tell the runtime's version");
  return facts;
}

std::unique_ptr<runtime> open_cuda(int number) {
  return std::make_unique<cuda_runtime>(number);
}

}  // namespace hogwild::device
