// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/run_setup.hpp>

#include <cstddef>
#include <cstring>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

/// The fixed part; weights, offsets and numbers of the rows (four bytes each, aligned), the decorator, the path, the
/// CPUs, the label values, the degrees and the model follow in this order.
struct setup_header {
  std::uint64_t layout;  ///< the first word in all builds: setup_layout() of the build that wrote it
  loop_options options;
  std::uint64_t first_row, rows;
  std::uint32_t pin, labels, workers, lanes;
  std::uint64_t place;
  std::uint64_t decorator_bytes, path_bytes, cpu_count, label_count, degree_count, model_bytes;
  std::uint64_t weights, offsets, ids;
};
static_assert(sizeof(setup_header) % alignof(float) == 0);
static_assert(std::is_trivially_copyable_v<setup_header>);

/// Differs between programs with different options, or with options at different offsets: an added option moves the
/// ones behind it.
constexpr std::uint64_t setup_layout() {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const std::uint64_t part :
       {sizeof(setup_header), sizeof(optimizer_constants), sizeof(exchange_options), offsetof(loop_options, l2),
        offsetof(loop_options, exchange), offsetof(loop_options, form), offsetof(loop_options, rows_in_flight),
        offsetof(loop_options, devices), offsetof(loop_options, memory), offsetof(setup_header, first_row)}) {
    h = (h ^ part) * 0x100000001b3u;
  }
  return h;
}

}  // namespace

std::vector<std::byte> run_setup::encode() const {
  const setup_header header{.layout = setup_layout(),
                            .options = options,
                            .first_row = first_row,
                            .rows = rows,
                            .pin = pin,
                            .labels = static_cast<std::uint32_t>(labels),
                            .workers = workers,
                            .lanes = lanes,
                            .place = place,
                            .decorator_bytes = decorator.size(),
                            .path_bytes = data_path.size(),
                            .cpu_count = cpus.size(),
                            .label_count = label_values.size(),
                            .degree_count = degree.size(),
                            .model_bytes = model.size(),
                            .weights = weight.size(),
                            .offsets = offset.size(),
                            .ids = id.size()};
  std::vector<std::byte> bytes;
  const auto append = [&bytes](const auto& span) {
    const auto part = std::as_bytes(span);
    bytes.insert(bytes.end(), part.begin(), part.end());
  };
  append(std::span(&header, 1));
  append(weight);
  append(offset);
  append(id);
  append(std::span(decorator));
  append(std::span(data_path));
  append(std::span(cpus));
  append(std::span(label_values));
  append(std::span(degree));
  append(std::span(model));
  return bytes;
}

run_setup run_setup::decode(std::span<const std::byte> bytes) {
  setup_header header;
  const auto cut = [&bytes](void* to, std::size_t n) {
    if (n > bytes.size()) throw segment_error("the segment's setup is incomplete; purge it and start the run again");
    if (n > 0) std::memcpy(to, bytes.data(), n);
    bytes = bytes.subspan(n);
  };
  if (bytes.size() >= sizeof header.layout) std::memcpy(&header.layout, bytes.data(), sizeof header.layout);
  if (bytes.size() >= sizeof header.layout && header.layout != setup_layout())
    throw segment_error(
        "the segment's setup has another layout than this program expects; start the worker from the same binary as "
        "the run");
  cut(&header, sizeof header);
  const auto too_many = [&bytes](std::uint64_t n) { return n > bytes.size(); };
  const auto of_rows = [&](std::uint64_t n) { return n == 0 || n == header.rows; };
  if (too_many(header.decorator_bytes) || too_many(header.path_bytes) || too_many(header.cpu_count) ||
      too_many(header.label_count) || too_many(header.degree_count) || too_many(header.model_bytes) ||
      too_many(header.weights) || too_many(header.offsets) || too_many(header.ids) || !of_rows(header.weights) ||
      !of_rows(header.offsets) || !of_rows(header.ids) || header.options.device_count > most_devices ||
      header.options.device_count > header.workers || header.lanes > most_lanes) {
    throw segment_error("the segment's setup is inconsistent; purge it and start the run again");
  }
  run_setup setup{.options = header.options,
                  .first_row = header.first_row,
                  .rows = header.rows,
                  .pin = header.pin,
                  .labels = static_cast<label_kind>(header.labels),
                  .workers = header.workers,
                  .lanes = header.lanes,
                  .place = header.place,
                  .decorator = std::string(header.decorator_bytes, '\0'),
                  .data_path = std::string(header.path_bytes, '\0'),
                  .cpus = std::vector<std::int32_t>(header.cpu_count),
                  .label_values = std::vector<double>(header.label_count),
                  .degree = std::vector<std::uint32_t>(header.degree_count),
                  .model = std::vector<std::byte>(header.model_bytes)};
  const auto lies = [&]<class T>(std::span<const T>& numbers, std::uint64_t n) {
    if (n * sizeof(T) > bytes.size())
      throw segment_error("the segment's setup is incomplete; purge it and start the run again");
    numbers = {reinterpret_cast<const T*>(bytes.data()), n};
    bytes = bytes.subspan(n * sizeof(T));
  };
  lies(setup.weight, header.weights);
  lies(setup.offset, header.offsets);
  lies(setup.id, header.ids);
  cut(setup.decorator.data(), header.decorator_bytes);
  cut(setup.data_path.data(), header.path_bytes);
  cut(setup.cpus.data(), header.cpu_count * sizeof(std::int32_t));
  cut(setup.label_values.data(), header.label_count * sizeof(double));
  cut(setup.degree.data(), header.degree_count * sizeof(std::uint32_t));
  cut(setup.model.data(), header.model_bytes);
  return setup;
}

}  // namespace hogwild
