// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <utility>

/// The objects that the runtime's handles point to.
struct CUstream_st {
  int device = 0;
  std::deque<std::function<void()>> queue{};
  std::uint64_t done = 0;  ///< of all that was ever queued

  std::uint64_t queued() const { return done + queue.size(); }
  void work_off(std::uint64_t until) {
    for (; done < until && !queue.empty(); ++done) {
      queue.front()();
      queue.pop_front();
    }
  }
};
struct CUevent_st {
  cudaStream_t stream = nullptr;
  std::uint64_t behind = 0;  ///< so many actions of the stream
};

namespace hogwild::test {
namespace {

constexpr std::align_val_t boundary{256};
constexpr int numbers_that_are_none = 0xff;

struct fake_block {
  int device;
  std::size_t bytes;
};

struct fake_devices {
  std::recursive_mutex mutex;  // a kernel may be a program's own function
  fake_machine machine;
  std::vector<std::string_view> calls;
  std::string failed;
  std::map<const std::byte*, fake_block> blocks;
  std::map<const std::byte*, std::size_t> registered;  ///< memory of the host, by its address
  std::map<cudaStream_t, std::unique_ptr<CUstream_st>> streams;
  std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events;
  std::set<std::pair<int, int>> ways;     ///< from a device to another one
  std::set<const void*> meeting_kernels;  ///< by what a launch calls them
};

fake_devices& devices() {
  static auto* const all = new fake_devices();  // kernels are unregistered at the program's end
  return *all;
}

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t noted(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

/// The result of a call of this name: an error if it must fail, else that of f().
template <class F>
cudaError_t call(const char* name, const F& f) {
  fake_devices& all = devices();
  const std::lock_guard lock(all.mutex);
  const fake_machine& m = all.machine;
  if (m.driver < CUDART_VERSION / 1000 * 1000) return noted(cudaErrorInsufficientDriver);
  if (m.devices == 0) return noted(cudaErrorNoDevice);
  all.calls.push_back(name);
  const bool fails = all.calls.size() == m.failing_call;
  if (fails) all.failed = name;
  if (fails || (m.for_good && !all.failed.empty())) return noted(static_cast<cudaError_t>(m.code));
  return noted(f());
}

/// The same for calls that release something: it is released whatever is returned.
template <class F>
cudaError_t call_to_end(const char* name, const F& f) {
  const cudaError_t code = call(name, [] { return cudaSuccess; });
  const std::lock_guard lock(devices().mutex);
  const cudaError_t ended = f();
  return code != cudaSuccess ? code : noted(ended);
}

/// The same for calls that wait: if one fails, a fault has ended all that was queued on the current device.
template <class F>
cudaError_t call_to_wait(const char* name, const F& f) {
  const cudaError_t code = call(name, f);
  const std::lock_guard lock(devices().mutex);
  if (code != cudaSuccess && code != cudaErrorNotReady)
    for (const auto& [handle, stream] : devices().streams)
      if (stream->device == current_device) stream->queue.clear();
  return code;
}

bool is_broken() {
  return devices().machine.for_good && !devices().failed.empty();
}

/// Puts an action into a queue of the current device.
cudaError_t put(cudaStream_t stream, std::function<void()> action) {
  if (!devices().streams.contains(stream) || stream->device != current_device) return cudaErrorInvalidResourceHandle;
  stream->queue.push_back(std::move(action));
  return cudaSuccess;
}

/// Whether these bytes lie in memory allocated on the current device.
bool is_on_device(const void* begin, std::size_t bytes) {
  const auto* const at = static_cast<const std::byte*>(begin);
  auto block = devices().blocks.upper_bound(at);
  if (block == devices().blocks.begin()) return false;
  --block;
  return block->second.device == current_device && at + bytes <= block->first + block->second.bytes;
}

/// The registered piece of the host's memory that has some of these bytes; null: none.
const std::pair<const std::byte* const, std::size_t>* registered_part(const void* begin, std::size_t bytes) {
  const auto* const at = static_cast<const std::byte*>(begin);
  for (const auto& registered : devices().registered)
    if (at < registered.first + registered.second && registered.first < at + bytes) return &registered;
  return nullptr;
}

std::size_t free_on_device() {
  std::size_t left = devices().machine.memory_bytes;
  for (const auto& [at, block] : devices().blocks)
    if (block.device == current_device) left -= block.bytes;
  return left;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  if (bytes > free_on_device()) return cudaErrorMemoryAllocation;
  *memory = ::operator new(bytes, boundary);
  std::memset(*memory, numbers_that_are_none, bytes);
  devices().blocks.emplace(static_cast<std::byte*>(*memory), fake_block{current_device, bytes});
  return cudaSuccess;
}

}  // namespace

void set_fake_machine(const fake_machine& machine) {
  fake_devices& all = devices();
  const std::lock_guard lock(all.mutex);
  all.machine = machine;
  all.calls.clear();
  all.failed.clear();
  all.ways.clear();  // a fault ends them all
}

void open_fake_way(int from, int to) {
  const std::lock_guard lock(devices().mutex);
  devices().ways.emplace(from, to);
}

std::string failed_fake_call() {
  const std::lock_guard lock(devices().mutex);
  return devices().failed;
}

std::vector<std::string_view> fake_calls() {
  const std::lock_guard lock(devices().mutex);
  return devices().calls;
}

fake_leftovers left_on_fake_devices() {
  const std::lock_guard lock(devices().mutex);
  return {.blocks = devices().blocks.size(),
          .registered = devices().registered.size(),
          .streams = devices().streams.size(),
          .events = devices().events.size(),
          .ways = is_broken() ? 0 : devices().ways.size()};
}

}  // namespace hogwild::test

using namespace hogwild::test;

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  // Answers without a driver, too.
  if (devices().machine.driver == 0) return *version = 0, cudaSuccess;
  if (devices().machine.driver < CUDART_VERSION) return *version = devices().machine.driver, cudaSuccess;
  return call("cudaDriverGetVersion", [&] { return *version = devices().machine.driver, cudaSuccess; });
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return call("cudaRuntimeGetVersion", [&] { return *version = CUDART_VERSION, cudaSuccess; });
}
cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}
const char* cudaGetErrorName(cudaError_t code) {
  thread_local char text[32];
  std::snprintf(text, sizeof text, "cudaError%d", static_cast<int>(code));
  return text;
}
const char* cudaGetErrorString(cudaError_t) {
  return "something that was planned";
}

cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", [&] { return *count = devices().machine.devices, cudaSuccess; });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* about, int device) {
  return call("cudaGetDeviceProperties", [&] {
    if (device < 0 || device >= devices().machine.devices) return cudaErrorInvalidDevice;
    *about = {};
    std::snprintf(about->name, sizeof about->name, "stand-in %d", device);
    about->totalGlobalMem = devices().machine.memory_bytes;
    about->multiProcessorCount = 132;
    about->major = 9;
    about->hostNativeAtomicSupported = about->concurrentManagedAccess = 1;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&] {
    if (device < 0 || device >= devices().machine.devices) return cudaErrorInvalidDevice;
    return current_device = device, cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* reaches, int device, int other) {
  return call("cudaDeviceCanAccessPeer", [&] {
    if (device == other) return cudaErrorInvalidDevice;
    *reaches = devices().machine.reaches ? 1 : 0;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
  return call("cudaDeviceEnablePeerAccess", [&] {
    std::set<std::pair<int, int>>& ways = devices().ways;
    if (!devices().machine.reaches || other == current_device) return cudaErrorInvalidDevice;
    if (ways.contains({current_device, other})) return cudaErrorPeerAccessAlreadyEnabled;
    if (ways.size() == devices().machine.most_ways) return cudaErrorTooManyPeers;
    ways.emplace(current_device, other);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int other) {
  return call_to_end("cudaDeviceDisablePeerAccess", [&] {
    return devices().ways.erase({current_device, other}) == 1 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr which, int, int) {
  return call("cudaDeviceGetP2PAttribute", [&] {
    *value = devices().machine.adds_there ? 1 : 0;
    return which == cudaDevP2PAttrNativeAtomicSupported ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  return call("cudaMemGetInfo", [&] {
    *left = free_on_device();
    *all = devices().machine.memory_bytes;
    return cudaSuccess;
  });
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return call("cudaMalloc", [&] { return allocate(memory, bytes); });
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return call("cudaMallocManaged", [&] { return allocate(memory, bytes); });
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemAdvise(const void* memory, std::size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
#else
cudaError_t cudaMemAdvise(const void* memory, std::size_t bytes, cudaMemoryAdvise, int) {
#endif
  return call("cudaMemAdvise", [&] { return is_on_device(memory, bytes) ? cudaSuccess : cudaErrorInvalidValue; });
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes, cudaMemLocation, unsigned, cudaStream_t) {
#else
cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes, int, cudaStream_t) {
#endif
  return call("cudaMemPrefetchAsync",
              [&] { return is_on_device(memory, bytes) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaFree(void* memory) {
  return call_to_end("cudaFree", [&] {
    if (memory == nullptr) return cudaSuccess;
    const auto block = devices().blocks.find(static_cast<std::byte*>(memory));
    if (block == devices().blocks.end()) return cudaErrorInvalidValue;
    for (const auto& [handle, stream] : devices().streams)
      if (!is_broken() && stream->device == block->second.device) stream->work_off(stream->queued());
    devices().blocks.erase(block);
    ::operator delete(memory, boundary);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  return call("cudaHostRegister", [&] {
    if (registered_part(memory, bytes) != nullptr) return cudaErrorHostMemoryAlreadyRegistered;
    devices().registered.emplace(static_cast<std::byte*>(memory), bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaHostGetDevicePointer(void** on_device, void* memory, unsigned) {
  return call("cudaHostGetDevicePointer", [&] {
    *on_device = memory;
    return registered_part(memory, 1) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaHostUnregister(void* memory) {
  return call_to_end("cudaHostUnregister", [&] {
    return devices().registered.erase(static_cast<std::byte*>(memory)) == 1 ? cudaSuccess
                                                                            : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&] {
    const bool up = kind == cudaMemcpyHostToDevice;
    if (!up && kind != cudaMemcpyDeviceToHost) return cudaErrorInvalidMemcpyDirection;
    if (!is_on_device(up ? to : from, bytes) || is_on_device(up ? from : to, bytes)) return cudaErrorInvalidValue;
    // Host memory must be registered as a whole, or not at all.
    const auto* const host = static_cast<const std::byte*>(up ? from : to);
    const auto* const part = registered_part(host, bytes);
    if (part != nullptr && (host < part->first || host + bytes > part->first + part->second))
      return cudaErrorInvalidValue;
    return put(stream, [=] { std::memcpy(to, from, bytes); });
  });
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return call("cudaMemsetAsync", [&] {
    if (!is_on_device(memory, bytes)) return cudaErrorInvalidValue;
    return put(stream, [=] { std::memset(memory, value, bytes); });
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return call("cudaStreamCreateWithFlags", [&] {
    auto made = std::make_unique<CUstream_st>(CUstream_st{.device = current_device});
    *stream = made.get();
    devices().streams.emplace(*stream, std::move(made));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call_to_wait("cudaStreamSynchronize", [&] {
    if (!devices().streams.contains(stream)) return cudaErrorInvalidResourceHandle;
    stream->work_off(stream->queued());
    return cudaSuccess;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call("cudaStreamWaitEvent", [&] {
    if (!devices().events.contains(event) || event->stream == stream) return cudaErrorInvalidResourceHandle;
    return put(stream, [other = event->stream, behind = event->behind] {
      if (devices().streams.contains(other)) other->work_off(behind);
    });
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call_to_end("cudaStreamDestroy", [&] {
    return devices().streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return call("cudaEventCreateWithFlags", [&] {
    auto made = std::make_unique<CUevent_st>();
    *event = made.get();
    devices().events.emplace(*event, std::move(made));
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", [&] {
    if (!devices().events.contains(event) || !devices().streams.contains(stream)) return cudaErrorInvalidResourceHandle;
    *event = {.stream = stream, .behind = stream->queued()};
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call_to_wait("cudaEventSynchronize", [&] {
    if (!devices().events.contains(event)) return cudaErrorInvalidResourceHandle;
    if (devices().streams.contains(event->stream)) event->stream->work_off(event->behind);
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call_to_wait("cudaEventQuery", [&] {
    if (!devices().events.contains(event)) return cudaErrorInvalidResourceHandle;
    if (!devices().streams.contains(event->stream) || event->stream->done >= event->behind) return cudaSuccess;
    event->stream->work_off(event->behind);  // until it is asked again
    return cudaErrorNotReady;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call_to_end("cudaEventDestroy",
                     [&] { return devices().events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  return call("cudaLaunchKernelExC", [&] {
    const fake_machine& m = devices().machine;
    if (!m.has_code) return cudaErrorNoKernelImageForDevice;
    if (config->gridDim.x == 0 || config->blockDim.x == 0) return cudaErrorInvalidConfiguration;
    const auto& does = devices().meeting_kernels.contains(kernel) ? m.meeting : m.kernel;
    return put(config->stream, does ? does(arguments) : std::function<void()>([] {}));
  });
}

// The functions that nvcc's own code calls: it registers kernels before main(), and starts them in ways that are not
// used here.
void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* kernel, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  if (std::string_view(name).find("meeting_part") != std::string_view::npos) devices().meeting_kernels.insert(kernel);
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*) {
  return cudaErrorNotSupported;
}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) {
  return cudaErrorNotSupported;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return cudaErrorNotSupported;
}

}  // extern "C"
