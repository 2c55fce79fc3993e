// SPDX-License-Identifier: Apache-2.0
#include "training_memory.hpp"

#include <string>

#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/error.hpp>

namespace hogwild::device {
namespace {

/// A device that trains on the store itself has nothing to exchange.
class nothing_to_exchange final : public private_arrays<float> {
 public:
  nothing_to_exchange() : private_arrays<float>(nullptr) {}
  void begin_round(const round_plan&) override {}
};

/// From the first array to the end of the last, including gaps: neighbours may share a page.
std::span<std::byte> memory_of(const private_arrays<float>& host) {
  if (host.count() == 0 || host.values(0).empty()) return {};
  const std::span<float> first = host.values(0), last = host.values(host.count() - 1);
  return std::as_writable_bytes(std::span(first.data(), last.data() + last.size()));
}

/// The store's arrays at the device's addresses: the host's address `base` is `on_device` there.
std::vector<std::span<float>> arrays_of(const param_store& store, const std::byte* base, void* on_device) {
  std::vector<std::span<float>> arrays;
  const auto add = [&](std::span<float> array) {
    const std::ptrdiff_t from_base = reinterpret_cast<std::byte*>(array.data()) - base;
    arrays.emplace_back(reinterpret_cast<float*>(static_cast<std::byte*>(on_device) + from_base), array.size());
  };
  add(store.parameters<float>());
  for (std::size_t k = 0; k < store.shape().state_arrays; ++k) add(store.state<float>(k));
  return arrays;
}

}  // namespace

training_memory::training_memory(runtime& device, memory_kind kind, const param_store& store, std::size_t half_count)
    : device_(device), kind_(kind) {
  const std::span<std::byte> shared = store.state_of_training();
  switch (kind) {
    case memory_kind::device:
      make_room(store.shape());
      arrays_.emplace(device, store.shape().parameters, store.shape().state_arrays, half_count);
      break;
    case memory_kind::pinned:
      try {
        registered_.emplace(device, shared);
      } catch (const resource_error& refused) {
        throw resource_error("the device cannot train on the run's own parameters (" + std::string(refused.what()) +
                             "): leave its memory at device");
      }
      arrays_.emplace(device, arrays_of(store, shared.data(), registered_->on_device()));
      break;
    case memory_kind::managed:
      arrays_.emplace(device, arrays_of(store, shared.data(), shared.data()));
      break;
  }
}

/// It takes no memory before it is used, and the only worker of a run never uses it.
void training_memory::make_room(const store_shape& shape) {
  const std::size_t bytes =
      worker_memory::bytes_of<float>(replica<float>::arrays_of(shape.state_arrays), shape.parameters);
  room_ = private_memory(bytes);
  replica_ = worker_memory(std::span(room_.base(), bytes));
}

std::unique_ptr<private_arrays<float>> training_memory::host_side(const worker_context& at,
                                                                  const std::vector<parameter_group>& groups) {
  if (kind_ == memory_kind::managed) device_.take_near(at.store.state_of_training());
  if (kind_ != memory_kind::device) return std::make_unique<nothing_to_exchange>();
  // Singleton columns are exchanged like others: rows of a device are not taken chunk by chunk.
  auto host = private_arrays_of<float>(at.plan.options.sharing, {at.plan, at.store, at.slot, replica_, at.hook}, groups,
                                       no_singletons);
  register_once(*host, at.store.slots()[at.slot]);
  return host;
}

void training_memory::take_parameters(const param_store& store) {
  if (kind_ != memory_kind::device) return;
  const std::span<const float> parameters = store.parameters<float>();
  device_.upload(arrays_->values[0].data(), parameters.data(), parameters.size_bytes());
  device_.wait(device_.mark());  // the caller may stop at once, and the store then changes
}

void training_memory::register_once(const private_arrays<float>& host, worker_slot& me) {
  const std::span<std::byte> memory = memory_of(host);
  if (registered_ || refused_ || memory.empty()) return;
  try {
    registered_.emplace(device_, memory);
  } catch (const registered_in_part&) {
    throw;
  } catch (const resource_error&) {
    refused_ = true;
    me.pageable = 1;
  }
}

std::shared_ptr<std::byte> managed_memory(const std::shared_ptr<runtime>& device, std::size_t bytes) {
  const std::uint64_t left = device->free_bytes();
  if (bytes > left / 2)
    throw resource_error("managed memory is for what takes half of the device's free memory at most: the run needs " +
                         std::to_string(bytes) + " bytes, and " + std::to_string(left) +
                         " are free; train on fewer columns, or take pinned memory");
  auto* const memory = static_cast<std::byte*>(device->allocate_managed(bytes));
  return {memory, [device](std::byte* given) { device->release(given); }};
}

}  // namespace hogwild::device
