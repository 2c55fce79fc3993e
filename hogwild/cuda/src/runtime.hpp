// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::device {

struct device_facts {
  std::string name;
  int number = -1;           ///< its CUDA number; -1: it is emulated
  bool emulated = false;     ///< its kernels run on the CPU
  bool host_memory = false;  ///< kernels read the host's memory: nothing need be copied
  std::uint64_t memory_bytes = 0;
  int multiprocessors = 0;
  int compute_major = 0, compute_minor = 0;  ///< its architecture
  bool native_host_atomics = false, concurrent_managed_access = false;
  int driver_version = 0, runtime_version = 0;  ///< as CUDA counts: 1000 * major + 10 * minor
};

/// How kernels of one device may access another device's memory, at the addresses that it has there.
enum class peer_access {
  none,
  plain,  ///< load and store
  atomic  ///< add as well, with no add of either device lost
};

/// One launch of a kernel, in both of its forms, with all its arguments: a queue keeps it by value.
struct kernel_launch {
  std::uint32_t warps = 1;  ///< that work at the same time, at most; at least 1
  /// The host form of the part of one thread of `parts`, on the calling thread.
  std::function<void(std::size_t part, std::size_t parts)> on_host{};
  /// The device form: queues the kernel on a cudaStream_t and returns CUDA's error code, 0 for none. Empty in builds
  /// without CUDA, and if the model has no kernel.
  std::function<int(void* stream)> on_device{};
};

/// The device has no room for an allocation; its state is as before.
struct no_room : resource_error {
  using resource_error::resource_error;
};

/// Another library has registered a part of some host memory: CUDA then does not copy to or from any of it.
struct registered_in_part : resource_error {
  using resource_error::resource_error;
};

/// A device and its queue: queued work runs in order, while the caller goes on. Used by one thread at a time. The
/// device's errors are thrown as resource_error with a message that says what to do.
class runtime {
 public:
  virtual ~runtime() = default;

  virtual const device_facts& facts() const = 0;

  /// Set by the worker that drives the device: whether the run is to stop, checked during long copies. Empty: it is
  /// not.
  std::function<bool()> stopping{};

  /// Checks how kernels of this device can access the memory of the other one, and opens the access while this lives.
  virtual peer_access reach(const device_facts& other) = 0;

  /// How much memory of the device could be allocated now.
  virtual std::uint64_t free_bytes() const = 0;

  /// Memory of the device, aligned to 256 bytes, not cleared. Throws no_room if none is left.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Zeroed memory that CPUs and the device access at the same address (unified memory), aligned to a page.
  virtual void* allocate_managed(std::size_t bytes) = 0;
  /// Frees memory of either kind; returns when all queued work has finished.
  virtual void release(void* memory) noexcept = 0;

  /// Pins host memory, so that copies need no staging buffer and the device can access it, at the returned address.
  /// Memory that another library has registered as a whole stays that library's, and registered only as long as it
  /// keeps it. Throws resource_error if registration is refused, and registered_in_part.
  virtual void* register_host(void* memory, std::size_t bytes) = 0;
  /// `memory` is its beginning on the host. Returns when all queued work has finished.
  virtual void unregister_host(void* memory) noexcept = 0;
  /// Moves managed memory, whole pages, to the device, where it stays unless CPUs use it; queued.
  virtual void take_near(std::span<std::byte> managed) = 0;

  /// These are queued: memory on both sides must stay unchanged until they have finished.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  virtual void zero(void* memory, std::size_t bytes) = 0;
  virtual void run(const kernel_launch& launch) = 0;

  /// Begins at once, beside the queue; kernels that are queued after it wait for it. No queued work may use `to`;
  /// memory on both sides must stay unchanged until a kernel that was queued after it has finished. A mark covers it
  /// only if it is behind such a kernel.
  virtual void upload_ahead(void* to, const void* from, std::size_t bytes) = 0;

  /// A place in the queue: behind all that is queued.
  virtual std::uint64_t mark() = 0;
  /// Returns when the device has reached a mark, without using the CPU until then; throws errors from before the mark.
  virtual void wait(std::uint64_t mark) = 0;
  /// Whether the device has reached a mark; throws errors from before the mark.
  virtual bool reached(std::uint64_t mark) = 0;
  /// Returns when the device is idle, whatever has failed: then memory that it was to read or write may be freed.
  virtual void drain() noexcept = 0;
};

/// For an emulated device: it reads the host's memory.
inline constexpr std::uint64_t unlimited_memory = std::uint64_t(-1);

/// An emulated device: its kernels run on so many threads, at least one. If its memory is limited it has memory of its
/// own, like a real device, of at most that many bytes.
std::unique_ptr<runtime> open_emulated(std::size_t threads, std::uint64_t memory_bytes = unlimited_memory);
/// For one with unlimited memory.
device_facts facts_of_emulated();

/// A CUDA device by its number. Throws resource_error if it cannot be used: no driver, no such device, a build without
/// CUDA. If the build has no code for its architecture, the first launch throws.
std::unique_ptr<runtime> open_cuda(int number);

/// Facts about it, without opening it. Throws resource_error like open_cuda().
device_facts facts_of_cuda(int number);

/// `n` elements in the memory of a device, which outlives them; not cleared.
template <class T>
class buffer {
 public:
  buffer(runtime& on, std::size_t n) : on_(&on), data_(static_cast<T*>(on.allocate(n * sizeof(T)))) {}
  buffer(buffer&& other) noexcept : on_(other.on_), data_(std::exchange(other.data_, nullptr)) {}
  buffer& operator=(buffer&&) = delete;
  ~buffer() {
    if (data_ != nullptr) on_->release(data_);
  }

  T* data() const { return data_; }

 private:
  runtime* on_;
  T* data_;
};

}  // namespace hogwild::device
