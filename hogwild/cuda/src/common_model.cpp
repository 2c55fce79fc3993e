// SPDX-License-Identifier: Apache-2.0
#include "common_model.hpp"

#include <utility>

#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/error.hpp>

#include "kernels/replica_meeting.hpp"

namespace hogwild::device {
namespace {

/// A replica in the memory of a device, which can access the shared parameters directly.
class peer_replica final : public replica<float> {
 public:
  using array = replica<float>::array;

  peer_replica(runtime& device, const worker_context& at, std::vector<array> arrays,
               const std::vector<parameter_group>& groups)
      : replica<float>(at.store.slots()[at.slot], at.slot, std::move(arrays), groups, at.plan.options.update, at.hook),
        device_(device) {}

 private:
  void fetch(const array& of, parameter_run run) override { launch(of, run, 1.0f, meeting_kind::fetch); }
  void meet(const array& of, parameter_run run, float gain_weight, bool last) override {
    launch(of, run, gain_weight, last ? meeting_kind::send : meeting_kind::exchange);
  }

  void wait_until_met() override { device_.wait(device_.mark()); }

  void launch(const array& of, parameter_run run, float gain_weight, meeting_kind kind) {
    if (run.count == 0) return;
    const replica_meeting work{.shared = of.shared.data() + run.first,
                               .work = of.work.data() + run.first,
                               .base = of.base.data() + run.first,
                               .count = run.count,
                               .gain_weight = gain_weight,
                               .kind = kind,
                               .update = update(),
                               .rows_in_flight = warps_for(run.count)};
    kernel_launch both{.warps = work.rows_in_flight,
                       .on_host = [work](std::size_t part, std::size_t parts) { meet_replica(work, part, parts); }};
#if defined(HOGWILD_HAS_CUDA)
    both.on_device = [work](void* stream) { return launch_replica_meeting(work, stream); };
#endif
    device_.run(both);
    slot().blocks.raise(1);
  }

  runtime& device_;
};

std::vector<buffer<float>> room_on(runtime& device, const store_shape& shape) {
  std::vector<buffer<float>> arrays;
  for (std::size_t k = 0; k <= shape.state_arrays; ++k) arrays.emplace_back(device, shape.parameters);
  return arrays;
}

std::string name_of_device(const device_facts& facts) {
  return facts.emulated ? "an emulated device" : "device " + std::to_string(facts.number);
}

}  // namespace

common_model::common_model(std::vector<runtime*> devices, const param_store& store)
    : devices_(std::move(devices)), store_(store), shared_(room_on(*devices_.front(), store.shape())) {
  for (runtime* const device : devices_) base_.push_back(room_on(*device, store.shape()));
  try {
    registered_.emplace(*devices_.front(), store.state_of_training());
  } catch (const registered_in_part&) {
    throw;
  } catch (const resource_error&) {  // is_registered() reports it
  }
}

void common_model::take() {
  runtime& first = *devices_.front();
  for (std::size_t k = 0; k < shared_.size(); ++k)
    first.upload(shared_[k].data(), of_store(k).data(), of_store(k).size_bytes());
  first.wait(first.mark());
}

void common_model::give() {
  runtime& first = *devices_.front();
  for (std::size_t k = 0; k < shared_.size(); ++k)
    first.download(of_store(k).data(), shared_[k].data(), of_store(k).size_bytes());
  first.wait(first.mark());
}

std::unique_ptr<private_arrays<float>> common_model::replica_of(const worker_context& at,
                                                                const std::vector<parameter_group>& groups,
                                                                const device_arrays& own) {
  std::vector<peer_replica::array> arrays;
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    const std::size_t n = own.values[k].size();
    arrays.push_back({{shared_[k].data(), n}, own.values[k], {base_[at.slot][k].data(), n}});
  }
  return std::make_unique<peer_replica>(*devices_[at.slot], at, std::move(arrays), groups);
}

std::string why_not_by_peers(std::span<runtime* const> devices, const store_shape& shape, update_kind update) {
  const device_facts& first = devices.front()->facts();
  const std::uint64_t arrays = (shape.state_arrays + 1) * std::uint64_t{shape.parameters} * sizeof(float);
  for (runtime* const device : devices) {
    const std::string name = name_of_device(device->facts());
    const peer_access access = device->reach(first);
    if (access == peer_access::none) return name + " does not reach the memory of " + name_of_device(first);
    if (access == peer_access::plain && update == update_kind::exact)
      return "exact updates of " + name + " might be lost in the memory of " + name_of_device(first);
    const std::uint64_t needed = device == devices.front() ? 2 * arrays : arrays;
    if (needed > device->free_bytes() / 4)
      return "it would take more than a quarter of what is free on " + name + ", " + std::to_string(needed) + " bytes";
  }
  return {};
}

}  // namespace hogwild::device
