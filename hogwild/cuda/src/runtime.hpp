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
  int number = -1;           ///< by which CUDA counts it; -1: it is emulated
  bool emulated = false;     ///< its kernels run on the CPU
  bool host_memory = false;  ///< they read what the host has: nothing need be copied
  std::uint64_t memory_bytes = 0;
  int multiprocessors = 0;
  int compute_major = 0, compute_minor = 0;  ///< its architecture
  bool native_host_atomics = false, concurrent_managed_access = false;
  int driver_version = 0, runtime_version = 0;  ///< as CUDA counts: 1000 * major + 10 * minor
};

/// What the kernels of a device may do with another one's memory, at the addresses that it has there.
enum class peer_access {
  none,
  plain,  ///< load and store
  atomic  ///< add as well, so that no add of either device is lost
};

/// One launch of a kernel, in both of its forms, with all that it is told: a queue keeps it by value.
struct kernel_launch {
  std::uint32_t warps = 1;  ///< that work at the same time, at most; at least 1
  /// The host form of the part of one thread of `parts`, on the calling thread.
  std::function<void(std::size_t part, std::size_t parts)> on_host{};
  /// The device form: puts the kernel behind what is queued on a cudaStream_t and returns CUDA's error code, 0 for
  /// none. Empty in builds without CUDA, and where the model has no kernel.
  std::function<int(void* stream)> on_device{};
};

/// The device has no room for what was to be allocated; it goes on as if nobody had asked.
struct no_room : resource_error {
  using resource_error::resource_error;
};

/// Others have registered a part of some memory of the host: CUDA does not copy to it or from it, registered or not.
struct registered_in_part : resource_error {
  using resource_error::resource_error;
};

/// A device and its queue: what is put in runs in order, while the caller goes on. Used by one thread at a time. What
/// the device refuses is a resource_error with a sentence that says what to do.
class runtime {
 public:
  virtual ~runtime() = default;

  virtual const device_facts& facts() const = 0;

  /// Set by who drives it: whether the run is to stop, for those who bring much. Empty: it is not.
  std::function<bool()> stopping{};

  /// Looks whether kernels of this device reach the memory of the other one, and opens the way there for as long as
  /// this lives.
  virtual peer_access reach(const device_facts& other) = 0;

  /// How much memory of the device could be allocated now.
  virtual std::uint64_t free_bytes() const = 0;

  /// Memory of the device, on a boundary of 256 bytes, not cleared. Throws no_room where it has none left.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Zeroed memory that CPUs and the device reach at the same address (unified memory), on a boundary of a page.
  virtual void* allocate_managed(std::size_t bytes) = 0;
  /// Either kind; returns when what is queued is through.
  virtual void release(void* memory) noexcept = 0;

  /// Memory of the host is kept where it is, so that copies need no other in between, and the device reaches it by
  /// itself, at the address that is returned. What somebody else has registered, all of it, stays his, and for as long
  /// as he wants. Throws resource_error where that is refused, and registered_in_part.
  virtual void* register_host(void* memory, std::size_t bytes) = 0;
  /// By where it begins on the host; returns when what is queued is through.
  virtual void unregister_host(void* memory) noexcept = 0;
  /// Managed memory, whole pages, is moved to the device, where it lies unless CPUs use it; queued.
  virtual void take_near(std::span<std::byte> managed) = 0;

  /// Queued, all of them: memory on both sides stays as it is until they are through.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  virtual void zero(void* memory, std::size_t bytes) = 0;
  virtual void run(const kernel_launch& launch) = 0;

  /// Beside the queue: begins at once, whatever is queued; kernels that are queued after it wait for it. Nothing that
  /// is queued uses `to`; memory on both sides stays as it is until a kernel that was queued after it is through. No
  /// mark covers it by itself: a mark behind such a kernel does.
  virtual void upload_ahead(void* to, const void* from, std::size_t bytes) = 0;

  /// A place in the queue: behind all that is queued.
  virtual std::uint64_t mark() = 0;
  /// Returns when the device has come to a mark, and leaves the CPU to others until then; throws what has failed before
  /// it.
  virtual void wait(std::uint64_t mark) = 0;
  /// Whether the device has come to a mark; throws what has failed before it.
  virtual bool reached(std::uint64_t mark) = 0;
  /// Returns when the device does nothing any more, whatever has failed: then memory that it was to read or write may
  /// go.
  virtual void drain() noexcept = 0;
};

/// Of an emulated device: it reads the host's memory.
inline constexpr std::uint64_t unlimited_memory = std::uint64_t(-1);

/// A device that is none: its kernels run on so many threads, at least one. Where its memory is limited it has memory
/// of its own, as a real one has, and no more than so many bytes.
std::unique_ptr<runtime> open_emulated(std::size_t threads, std::uint64_t memory_bytes = unlimited_memory);
/// Of one whose memory is not limited.
device_facts facts_of_emulated();

/// A CUDA device by its number. Throws resource_error where it cannot be used: no driver, no such device, a build
/// without CUDA. Where the build has no code for its architecture the first launch throws.
std::unique_ptr<runtime> open_cuda(int number);

/// What it is, without opening it. Throws resource_error as open_cuda() does.
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
