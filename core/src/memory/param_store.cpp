// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/error.hpp>

#include "platform/memory_nodes.hpp"

namespace hogwild {

namespace {

bool owner_lives(const void* slots, std::uint32_t tag) noexcept {
  return worker_slot::is_live(static_cast<const worker_slot*>(slots), tag);
}

/// Processes of different builds may agree on sizes and yet disagree on meanings.
std::uint64_t build_id() {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const std::string_view part :
       {build_info.version, build_info.commit, build_info.build_type, build_info.compiler}) {
    for (const char c : part) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return h;
}

segment_identity identity_of(std::string_view model) {
  return {.layout_hash = layout_hash(), .build_id = build_id(), .model_name = std::string(model)};
}

/// CPUs near these nodes that this process may use.
std::vector<int> cpus_near(std::span<const int> nodes) {
  const std::vector<int> usable = usable_cpu_list();
  std::vector<int> near;
  for (const detail::memory_node& n : detail::memory_nodes()) {
    if (std::ranges::find(nodes, n.number) == nodes.end()) continue;
    std::ranges::copy_if(n.cpus, std::back_inserter(near),
                         [&](int cpu) { return std::ranges::find(usable, cpu) != usable.end(); });
  }
  return near;
}

/// A page lies on the node of the thread that first touches it.
void run_near(std::span<const int> nodes, const std::function<void()>& f) {
  try {
    std::jthread([&] {
      bind_this_thread(cpus_near(nodes));
      f();
    }).join();
  } catch (const std::system_error&) {
    // No thread is available; the memory is then placed anywhere.
  }
}

/// Places the replicas of a ring on their nodes: replica v, at base + layout.ring + v * stride, on nodes[v]. To be
/// called before anybody touches them. `touch(offset, bytes)` makes the system allocate that part; it is called from a
/// thread on CPUs near the nodes if the system refuses to bind memory to them.
placed_memory place_replica_memory(std::byte* base, const store_shape& shape, std::span<const std::vector<int>> nodes,
                                   const std::function<void(std::size_t, std::size_t)>& touch) {
  const auto differs = [&](const std::vector<int>& of_replica) { return of_replica != nodes.front(); };
  if (nodes.size() != shape.ring || std::ranges::none_of(nodes, differs)) return placed_memory::anywhere;
  const std::size_t first = store_layout(shape).ring, stride = store_layout::ring_stride(shape);
  auto done = placed_memory::bound;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const std::size_t at = first + v * stride;
    if (bind_memory({base + at, stride}, nodes[v])) continue;
    done = placed_memory::touched;
    run_near(nodes[v], [&] { touch(at, stride); });
  }
  return done;
}

}  // namespace

std::string_view to_string(placed_memory how) {
  switch (how) {
    case placed_memory::bound:
      return "bound";
    case placed_memory::touched:
      return "touched";
    case placed_memory::anywhere:
      break;
  }
  return "anywhere";
}

struct param_store::memory {
  std::unique_ptr<private_memory> private_part;
  std::unique_ptr<segment> named_part;
  std::shared_ptr<std::byte> given_part;
};

param_store::param_store(std::unique_ptr<memory> owner, std::byte* base, const store_shape& shape, std::string name)
    : owner_(std::move(owner)), base_(base), layout_(shape), name_(std::move(name)) {}

param_store::param_store(param_store&&) noexcept = default;
param_store& param_store::operator=(param_store&&) noexcept = default;
param_store::~param_store() = default;

param_store param_store::in_memory(const store_shape& shape, std::vector<std::vector<int>> ring_nodes) {
  auto owner = std::make_unique<memory>();
  try {
    owner->private_part = std::make_unique<private_memory>(store_layout(shape).total);
  } catch (const resource_error& refused) {
    throw resource_error("for " + std::to_string(shape.parameters) + " parameters and what belongs to them: " +
                         refused.what() + "; take fewer columns, classes or factors, or a machine with more memory");
  }
  std::byte* base = owner->private_part->base();
  const auto clear = [&](std::size_t at, std::size_t bytes) { std::memset(base + at, 0, bytes); };
  const placed_memory placed = place_replica_memory(base, shape, ring_nodes, clear);
  std::memcpy(base + store_layout(shape).shape, &shape, sizeof shape);
  param_store made{std::move(owner), base, shape, ""};
  made.ring_nodes_ = std::move(ring_nodes);
  made.ring_memory_ = placed;
  return made;
}

param_store param_store::in_memory(const store_shape& shape, const memory_source& source) {
  auto owner = std::make_unique<memory>();
  owner->given_part = source(store_layout(shape).total);
  std::byte* const base = owner->given_part.get();
  std::memcpy(base + store_layout(shape).shape, &shape, sizeof shape);
  return {std::move(owner), base, shape, ""};
}

param_store param_store::create(const std::string& name, const store_shape& shape, std::string_view model,
                                std::vector<std::vector<int>> ring_nodes) {
  auto owner = std::make_unique<memory>();
  auto placed = placed_memory::anywhere;
  const auto place = [&](std::byte* base, const segment::allocator& allocate) {
    placed = place_replica_memory(base, shape, ring_nodes, allocate);
  };
  owner->named_part =
      std::make_unique<segment>(segment::create(name, store_layout(shape).total, identity_of(model), place));
  std::byte* base = owner->named_part->data();
  std::memcpy(base + store_layout(shape).shape, &shape, sizeof shape);
  param_store made{std::move(owner), base, shape, name};
  made.ring_nodes_ = std::move(ring_nodes);
  made.ring_memory_ = placed;
  return made;
}

param_store param_store::attach(const std::string& name, std::string_view model) {
  auto owner = std::make_unique<memory>();
  owner->named_part = std::make_unique<segment>(segment::attach(name, identity_of(model)));
  std::byte* base = owner->named_part->data();
  // The places of shape and control do not depend on the shape; the gate is 0 until the creator has filled in the rest.
  const store_layout fixed{store_shape{}};
  const auto& gate = reinterpret_cast<control_block*>(base + fixed.control)->gate;
  for (int tries = 0; gate.load(std::memory_order_acquire) == 0; ++tries) {
    if (tries == 1000) {
      store_shape made;
      std::memcpy(&made, base + fixed.shape, sizeof made);
      if (made.setup_bytes == 0 && made.live_bytes > 0)
        throw segment_error("segment " + name + " is of threads, whom no worker process can join; " +
                            "live_parameters and hogwild predict --live read it");
      throw segment_error("segment " + name +
                          " is not ready after a second: its creator may be stopped or dead; look at it "
                          "with `hogwild segments`");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  store_shape shape;
  std::memcpy(&shape, base + fixed.shape, sizeof shape);
  if (store_layout(shape).total > owner->named_part->bytes()) {
    throw segment_error("segment " + name +
                        " is smaller than its own description; purge it with `hogwild segments "
                        "--purge` and start the run again");
  }
  return {std::move(owner), base, shape, name};
}

bool param_store::creator_lives() const {
  return owner_->named_part->creator_lives();
}

void param_store::require_scalar(std::size_t bytes) const {
  if (shape().scalar_bytes != bytes) {
    throw config_error("this store holds parameters of " + std::to_string(shape().scalar_bytes) + " bytes, not of " +
                       std::to_string(bytes));
  }
}

param_store param_store::replica_view(std::size_t v) const {
  param_store seen{nullptr, base_, shape(), name_};
  seen.layout_.parameters = layout_.ring + store_layout::on_ring(shape(), v);
  seen.layout_.state = seen.layout_.parameters + store_layout::parameter_stride(shape());
  return seen;
}

stripe_locks param_store::locks(std::size_t slot) const {
  if (stripes().empty()) return {};
  return {stripes(), slots()[slot].tag(slot), owner_lives, slots().data()};
}

}  // namespace hogwild
