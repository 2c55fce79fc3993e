// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "runtime.hpp"

namespace hogwild::test {

/// A device that forwards everything to another one; a test overrides the functions that it observes.
class forwarding_device : public device::runtime {
 public:
  explicit forwarding_device(std::unique_ptr<runtime> inner) : inner_(std::move(inner)) {}

  const device::device_facts& facts() const override { return inner_->facts(); }
  device::peer_access reach(const device::device_facts& other) override { return inner_->reach(other); }
  std::uint64_t free_bytes() const override { return inner_->free_bytes(); }
  void* allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void* allocate_managed(std::size_t bytes) override { return inner_->allocate_managed(bytes); }
  void release(void* memory) noexcept override { inner_->release(memory); }
  void* register_host(void* memory, std::size_t bytes) override { return inner_->register_host(memory, bytes); }
  void unregister_host(void* memory) noexcept override { inner_->unregister_host(memory); }
  void take_near(std::span<std::byte> managed) override { inner_->take_near(managed); }
  void upload(void* to, const void* from, std::size_t bytes) override { inner_->upload(to, from, bytes); }
  void upload_ahead(void* to, const void* from, std::size_t bytes) override { inner_->upload_ahead(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { inner_->download(to, from, bytes); }
  void zero(void* memory, std::size_t bytes) override { inner_->zero(memory, bytes); }
  void run(const device::kernel_launch& launch) override { inner_->run(launch); }
  std::uint64_t mark() override { return inner_->mark(); }
  void wait(std::uint64_t mark) override { inner_->wait(mark); }
  bool reached(std::uint64_t mark) override { return inner_->reached(mark); }
  void drain() noexcept override { inner_->drain(); }

 private:
  std::unique_ptr<runtime> inner_;
};

}  // namespace hogwild::test
