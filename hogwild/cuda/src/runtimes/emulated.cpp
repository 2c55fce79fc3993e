// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>

#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>

#include "runtime.hpp"

namespace hogwild::device {
namespace {

constexpr std::align_val_t alignment{4096};

/// A thread of its own does the queued work, so that kernels run beside their host as on a device.
class emulated_runtime final : public runtime {
 public:
  emulated_runtime(std::size_t threads, std::uint64_t memory_bytes)
      : memory_bytes_(memory_bytes),
        threads_(std::max<std::size_t>(threads, 1)),
        team_(thread_team::make(thread_team_kind::std, threads_, false)),
        queue_thread_([this](const std::stop_token& stop) { work_off(stop); }) {
    facts_.host_memory = memory_bytes == unlimited_memory;
    if (!facts_.host_memory) facts_.memory_bytes = memory_bytes;
  }

  const device_facts& facts() const override { return facts_; }
  /// Emulated devices all have their memory in that of this machine.
  peer_access reach(const device_facts& other) override {
    return other.emulated ? peer_access::atomic : peer_access::none;
  }
  /// Without a limit the machine's own limit holds, and nothing is reserved in advance.
  std::uint64_t free_bytes() const override { return facts_.host_memory ? memory_bytes_ : memory_bytes_ - used_; }

  void* allocate(std::size_t bytes) override {
    if (bytes > free_bytes())
      throw no_room("the emulated device has no room for " + std::to_string(bytes) +
                    " bytes: " + std::to_string(free_bytes()) + " are free");
    try {
      void* const memory = ::operator new(std::max<std::size_t>(bytes, 1), alignment);
      used_ += sizes_[memory] = bytes;
      return memory;
    } catch (const std::bad_alloc&) {
      throw resource_error("the emulated device has no " + std::to_string(bytes) +
                           " bytes: its memory is that of this machine; train on fewer columns, or free memory");
    }
  }
  void* allocate_managed(std::size_t bytes) override {
    void* const memory = allocate(bytes);
    std::memset(memory, 0, bytes);
    return memory;
  }
  void release(void* memory) noexcept override {
    drain();  // after an exception, queued kernels may still use it
    const auto found = sizes_.find(memory);
    used_ -= found->second;
    sizes_.erase(found);
    ::operator delete(memory, alignment);
  }

  void* register_host(void* memory, std::size_t) override { return memory; }
  void unregister_host(void* memory) noexcept override {
    drain();
    // The memory must still exist. CUDA would report an error if it did not; here the program ends. Other workers may
    // be writing to it.
    static_cast<void>(std::atomic_ref(*static_cast<std::byte*>(memory)).load());
  }
  void take_near(std::span<std::byte>) override {}

  void upload(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void zero(void* memory, std::size_t bytes) override {
    put([=] { std::memset(memory, 0, bytes); });
  }
  /// Finished when it returns, as drivers do for memory that is not pinned.
  void upload_ahead(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void run(const kernel_launch& launch) override {
    put([this, launch] {
      const std::size_t parts = std::min<std::size_t>(threads_, launch.warps);
      team_->run([&](std::size_t part) {
        if (part < parts) launch.on_host(part, parts);
      });
    });
  }

  std::uint64_t mark() override {
    const std::lock_guard lock(mutex_);
    return queued_;
  }
  void wait(std::uint64_t mark) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= mark; });
    if (failure_) std::rethrow_exception(failure_);
  }
  bool reached(std::uint64_t mark) override {
    const std::lock_guard lock(mutex_);
    if (done_ < mark) return false;
    if (failure_) std::rethrow_exception(failure_);
    return true;
  }
  void drain() noexcept override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= queued_; });
  }

 private:
  void copy(void* to, const void* from, std::size_t bytes) {
    put([=] { std::memcpy(to, from, bytes); });
  }

  void put(std::function<void()> action) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(action));
      ++queued_;
    }
    changed_.notify_all();
  }

  /// An error ends all work that is queued behind it, too, as on a device.
  void work_off(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !queue_.empty(); })) {
      const std::function<void()> next = std::move(queue_.front());
      queue_.pop_front();
      if (!failure_) {
        lock.unlock();
        std::exception_ptr failed;
        try {
          next();
        } catch (...) {
          failed = std::current_exception();
        }
        lock.lock();
        failure_ = failed;
      }
      ++done_;
      changed_.notify_all();
    }
  }

  device_facts facts_ = facts_of_emulated();
  std::uint64_t memory_bytes_, used_ = 0;
  std::unordered_map<void*, std::size_t> sizes_;  ///< of allocations
  std::size_t threads_;
  std::unique_ptr<thread_team> team_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> queue_;
  std::uint64_t queued_ = 0, done_ = 0;
  std::exception_ptr failure_;
  std::jthread queue_thread_;  ///< declared last: it ends before what it uses is destroyed
};

}  // namespace

device_facts facts_of_emulated() {
  device_facts facts;
  facts.name = "emulated";
  facts.emulated = facts.host_memory = facts.native_host_atomics = facts.concurrent_managed_access = true;
  return facts;
}

std::unique_ptr<runtime> open_emulated(std::size_t threads, std::uint64_t memory_bytes) {
  return std::make_unique<emulated_runtime>(threads, memory_bytes);
}

}  // namespace hogwild::device
