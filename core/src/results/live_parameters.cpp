// SPDX-License-Identifier: Apache-2.0
#include <hogwild/live_parameters.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include <hogwild/detail/control/live_board.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/memory/segment_layout.hpp>
#include <hogwild/detail/results/live_description.hpp>
#include <hogwild/detail/results/parameter_order.hpp>
#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

using live_clock = std::chrono::steady_clock;

std::string_view to_string(run_state state) {
  switch (state) {
    case run_state::ended:
      return "ended";
    case run_state::killed:
      return "killed";
    case run_state::training:
      break;
  }
  return "training";
}

namespace {

store_shape live_shape_of(const segment& of) {
  store_shape shape;
  std::memcpy(&shape, of.data() + store_layout(store_shape{}).shape, sizeof shape);
  if (shape.live_bytes < sizeof(live_board))
    throw segment_error("segment " + of.name() +
                        " has no parameters to read from outside: its workers train replicas that meet at the ends of "
                        "rounds, or its run has not got as far; threads and processes have");
  if (store_layout(shape).total > of.bytes() || (shape.scalar_bytes != 4 && shape.scalar_bytes != 8))
    throw segment_error("segment " + of.name() + " is smaller than its own description: it is damaged");
  return shape;
}

template <class T>
float relaxed_load(const std::byte* from) {
  return static_cast<float>(
      std::atomic_ref(*reinterpret_cast<T*>(const_cast<std::byte*>(from))).load(std::memory_order_relaxed));
}

}  // namespace

struct live_parameters::state_of_reader {
  explicit state_of_reader(segment mapped) : memory(std::move(mapped)), shape(live_shape_of(memory)), layout(shape) {}

  const live_board& board() const { return *reinterpret_cast<const live_board*>(memory.data() + layout.live); }
  std::uint64_t slot_rows() const {
    std::uint64_t rows = 0;
    const auto* const slots = reinterpret_cast<const worker_slot*>(memory.data() + layout.slots);
    for (std::size_t i = 0; i < shape.workers; ++i) rows += slots[i].rows.get();
    return rows;
  }

  /// Waits for the run to be ready.
  void await_ready() const {
    const auto deadline = live_clock::now() + std::chrono::seconds(1);
    while (board().state.load() == live_board::stage::preparing) {
      if (live_clock::now() > deadline)
        throw segment_error("the run of segment " + memory.name() +
                            " is not ready after a second: it has not begun to train, or died before; try again");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void read_description() {
    const std::span<const std::byte> bytes(memory.data() + layout.live, shape.live_bytes);
    try {
      about = live_description::decode(bytes.subspan(sizeof(live_board)), "segment " + memory.name());
    } catch (const input_error& fault) {
      throw segment_error(fault.what());
    }
    order = parameter_order(about.parameter_groups(), about.original);
    std::size_t covered = 0;
    order.for_runs([&](std::size_t from, std::size_t to, std::size_t n) {
      covered = std::max({covered, from + n, to + n});
    });
    if (covered != shape.parameters)
      throw segment_error("segment " + memory.name() + " does not describe the parameters that it has: it is damaged");
  }

  /// Reads a, for the rows done so far; false if the board is being written.
  bool read_scale(double& scale) const {
    live_board::round round;
    if (!board().read(round)) return false;
    scale = round.scale_at(slot_rows());
    return true;
  }

  /// Reads w for the parameters [first, last), with an a of about the same instant: it fell by less than a hundredth
  /// while they were read. False if it fell further, or the meaning changed.
  bool read_part(std::size_t first, std::size_t last, std::uint32_t meaning) {
    constexpr double same = 0.01;
    double before = 1.0, after = 1.0;
    if (!read_scale(before)) return false;
    const std::byte* const stored = memory.data() + layout.parameters;
    const auto scale = static_cast<float>(before);
    for (std::size_t j = first; j < last; ++j) {
      const std::byte* const at = stored + j * shape.scalar_bytes;
      by_position[j] = scale * (shape.scalar_bytes == 4 ? relaxed_load<float>(at) : relaxed_load<double>(at));
    }
    order_earlier_reads();
    return read_scale(after) && board().meaning.load() == meaning && std::abs(std::log(after / before)) < same;
  }

  /// False if a was multiplied into v meanwhile, or no part could be read.
  bool read_once() {
    constexpr std::size_t part = 1024, tries = 1000;
    live_board::round round;
    const std::uint32_t meaning = board().meaning.load();
    if (meaning % 2 != 0 || !board().read(round)) return false;
    live_age now{.epoch = static_cast<std::size_t>(round.epoch), .round = static_cast<std::size_t>(round.number)};
    const auto began = live_clock::now();
    now.rows_before = round.rows + slot_rows();
    by_position.resize(shape.parameters);
    for (std::size_t first = 0; first < shape.parameters; first += part) {
      std::size_t tried = 0;
      while (!read_part(first, std::min<std::size_t>(first + part, shape.parameters), meaning))
        if (++tried == tries || board().meaning.load() != meaning) return false;
    }
    now.rows_after = round.rows + slot_rows();
    values = order.of(by_position);
    age = now, read_at = began;
    return true;
  }

  segment memory;
  store_shape shape;
  store_layout layout;
  live_description about{};
  parameter_order order{};
  std::vector<float> values{}, by_position{};
  live_age age{};
  live_clock::time_point read_at{};
};

live_parameters::live_parameters(std::unique_ptr<state_of_reader> reader) : reader_(std::move(reader)) {}
live_parameters::live_parameters(live_parameters&&) noexcept = default;
live_parameters& live_parameters::operator=(live_parameters&&) noexcept = default;
live_parameters::~live_parameters() = default;

live_parameters live_parameters::attach(const std::string& name) {
  auto reader = std::make_unique<state_of_reader>(segment::look_at(name, layout_hash()));
  reader->await_ready();
  reader->read_description();
  live_parameters made(std::move(reader));
  if (!made.read(std::chrono::seconds(10)))
    throw segment_error("the parameters of segment " + name +
                        " could not be read in ten seconds: its run was changing what they mean, or died of that");
  return made;
}

bool live_parameters::read(std::chrono::nanoseconds timeout) {
  const auto deadline = live_clock::now() + timeout;
  while (!reader_->read_once()) {
    if (live_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

std::span<const float> live_parameters::values() const {
  return reader_->values;
}

std::span<const std::uint32_t> live_parameters::columns() const {
  return reader_->order.columns();
}

live_age live_parameters::age() const {
  live_age age = reader_->age;
  age.seconds = std::chrono::duration<double>(live_clock::now() - reader_->read_at).count();
  return age;
}

run_state live_parameters::state() const {
  if (reader_->board().state.load() == live_board::stage::ended) return run_state::ended;
  return reader_->memory.creator_lives() ? run_state::training : run_state::killed;
}

const std::string& live_parameters::name() const {
  return reader_->memory.name();
}

const std::string& live_parameters::model_name() const {
  return reader_->about.model;
}

saved_model live_parameters::model() const {
  const live_description& about = reader_->about;
  if (!about.whole)
    throw config_error("a file of a " + about.model +
                       " model holds more than a segment tells; have the run save the model, or read its values()");
  saved_model saved{.model = about.model, .model_options = about.numbers, .labels = about.labels};
  // The groups are unchanged, with the rows of columns in ascending order.
  detail::save_groups(about.parameter_groups(), reader_->values, reader_->order.columns(), saved);
  return saved;
}

}  // namespace hogwild
