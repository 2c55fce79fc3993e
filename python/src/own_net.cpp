// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <hogwild/command.hpp>
#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/models/net.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "arrays.hpp"
#include "bindings.hpp"
#include "own_model.hpp"

namespace hogwild::python {
namespace {

/// A net that was defined in Python, on rows whose column j is value j of its input. Loss: -log softmax(scores)[class].
struct own_net {
  using scalar_type = float;
  static constexpr std::string_view name = "own_net";
  static constexpr bool takes_weights = true;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr training_defaults defaults = {
      .step = 0.01, .schedule = schedule_kind::constant, .optimizer = optimizer_kind::sgd, .batch = 64};
  static constexpr std::size_t measured_rows = 10'000;
  static constexpr sharing_kind sharing = sharing_kind::direct;

  net_plan plan{};

  std::size_t dim() const { return plan.parameters(); }
  std::vector<parameter_group> groups() const { return groups_of(plan, false); }
  void init(const param_view<float>& w, const counter_random& random) const { initialise_net(plan, w, random); }

  struct workspace {
    void stop_when(std::function<bool()> asked) { net.stop_when(std::move(asked)); }

    net_workspace net;
    std::vector<std::uint32_t> place;  ///< for each column: its value of the input
  };
  workspace make_workspace(const sparse_view& rows, isa set, std::size_t batch) const {
    std::vector<std::uint32_t> place(rows.columns);
    if (rows.original.empty())
      std::iota(place.begin(), place.end(), std::uint32_t{0});
    else
      std::copy(rows.original.begin(), rows.original.end(), place.begin());
    for (const std::uint32_t at : place)
      if (at >= plan.input().size())
        throw config_error("the net takes rows of " + std::to_string(plan.input().size()) +
                           " values, and the data have a column " + std::to_string(at) + ", counted from 0");
    return {net_workspace(plan, set, batch), std::move(place)};
  }
  void require_data(const sparse_view& rows, std::string_view) const {
    static_cast<void>(make_workspace(rows, isa::automatic, 1));
  }

  void take(workspace& space, std::size_t k, const sparse_row<float>& row, const counter_random& random) const {
    space.net.describe(k, random.bits(0), row.label, row.weight);
    space.net.fill(k, 0, plan.input().size(), 0.0f);
    float* const to = space.net.input(k);
    const std::size_t stride = space.net.stride();
    for (auto [column, x] : row) to[space.place[column] * stride] = x;
  }
  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    space.net.read(w, groups());
    space.net.differentiate(n);
    space.net.emit(emit, groups());
  }
  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores) const {
    space.net.read(w, groups());
    space.net.score(n, scores);
  }
};

net_layer layer_named(const std::string& kind, std::uint32_t outputs, std::uint32_t side, float rate) {
  if (kind == "convolution") return convolution(outputs, side);
  if (kind == "max_pool") return max_pool();
  if (kind == "relu") return relu();
  if (kind == "channel_dropout") return channel_dropout(rate);
  if (kind == "dropout") return dropout(rate);
  if (kind == "dense") return dense(outputs);
  throw config_error("there is no layer " + kind);
}

/// A net and its initial parameters, layer by layer as in the plan.
class python_net final : public own_model {
 public:
  using layer = std::tuple<std::string, std::uint32_t, std::uint32_t, float>;  ///< kind, outputs, side, rate
  python_net(const std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>& input, const std::vector<layer>& layers) {
    const auto [planes, height, width] = input;
    net_plan plan({planes, height, width}, {});
    if (!has_layer_kernels()) throw config_error("a net " + layer_kernels_missing());
    for (const auto& [kind, outputs, side, rate] : layers) add(plan, layer_named(kind, outputs, side, rate));
    if (plan.size() == 0 || plan[plan.size() - 1].layer.kind != layer_kind::dense)
      throw config_error("the last layer of a net gives the scores of the classes: it is dense");
    if (plan.output().size() < 2) throw config_error("a net tells apart at least two classes");
    net_.plan = plan;
    begin_.resize(plan.parameters());
  }

  std::string_view name() const override { return own_net::name; }
  bool is_saved() const override { return false; }
  named_model on(const sparse_view& rows) const override {
    net_.require_data(rows, "the rows");
    return detail::as_named(net_, model_named(own_net::name));
  }
  void complete(train_options& options) const override {
    options.labels.resize(net_.plan.output().size());  // not all of them need occur
    std::iota(options.labels.begin(), options.labels.end(), 0.0);
    options.initial = [begin = begin_](std::span<float> parameters) { std::ranges::copy(begin, parameters.begin()); };
  }

  /// The same net with other parameters.
  python_net beginning_with(const array& parameters) const {
    python_net other = *this;
    const std::span<const float> given = floats_of(parameters, "parameters");
    if (given.size() != begin_.size()) throw config_error("these are not as many parameters as the net has");
    other.begin_.assign(given.begin(), given.end());
    return other;
  }
  /// For each layer with parameters: where its weights begin, and its numbers of inputs and outputs. Its weights are
  /// `inputs` rows of `outputs`, followed by its biases.
  nb::list places() const {
    nb::list all;
    for (const placed_layer& at : net_.plan)
      if (at.trains()) all.append(nb::make_tuple(at.weights, at.inputs, at.layer.outputs));
    return all;
  }
  std::size_t parameters() const { return begin_.size(); }

  /// The scores of the classes for each of these rows, without dropout: rows by classes.
  nb::object scores(const array& values) const {
    const std::span<const float> all = floats_of(values, "rows");
    const std::size_t width = net_.plan.input().size(), classes = net_.plan.output().size(), n = all.size() / width;
    if (all.size() != n * width) throw config_error("rows of the net have " + std::to_string(width) + " values");
    std::vector<float> scored(n * classes);
    {
      const nb::gil_scoped_release release;
      constexpr std::size_t batch = 64;
      net_workspace space(net_.plan, isa::automatic, batch);
      space.read(detail::quiet_reader<>{begin_}, net_.groups());
      for (std::size_t first = 0; first < n; first += batch) {
        const std::size_t rows = std::min(batch, n - first);
        for (std::size_t k = 0; k < rows; ++k)
          for (std::size_t v = 0; v < width; ++v) space.input(k)[v * space.stride()] = all[(first + k) * width + v];
        space.score(rows, [&](const net_outputs& at) {
          for (std::size_t l = 0; l < at.examples; ++l)
            for (std::size_t c = 0; c < classes; ++c)
              scored[(first + at.first + l) * classes + c] = at.values[c * at.rows + l];
        });
      }
    }
    return to_numpy(std::move(scored), n, classes);
  }

 private:
  static constexpr std::size_t most_convolutions = 4, most_dense = 6;
  static constexpr std::size_t most_values = std::size_t{1} << 31;

  static std::size_t count(const net_plan& plan, layer_kind kind) {
    return static_cast<std::size_t>(
        std::count_if(plan.begin(), plan.end(), [&](const placed_layer& at) { return at.layer.kind == kind; }));
  }
  static void add(net_plan& plan, const net_layer& layer) {
    const net_shape from = plan.output();
    if (plan.size() == net_plan::most_layers)
      throw config_error("a net has at most " + std::to_string(net_plan::most_layers) + " layers");
    if (layer.kind == layer_kind::convolution && (layer.side == 0 || layer.side > std::min(from.height, from.width)))
      throw config_error("a window of " + std::to_string(layer.side) + " x " + std::to_string(layer.side) +
                         " does not fit into planes of " + std::to_string(from.height) + " x " +
                         std::to_string(from.width));
    if (layer.kind == layer_kind::max_pool && std::min(from.height, from.width) < 2)
      throw config_error("planes of " + std::to_string(from.height) + " x " + std::to_string(from.width) +
                         " are too small to be pooled by 2 x 2");
    if (!(layer.rate >= 0.0f && layer.rate < 1.0f)) throw config_error("a rate of dropout is 0 or more and below 1");
    if (layer.kind == layer_kind::convolution && count(plan, layer.kind) == most_convolutions)
      throw config_error("a net has at most " + std::to_string(most_convolutions) + " convolutions");
    if (layer.kind == layer_kind::dense && count(plan, layer.kind) == most_dense)
      throw config_error("a net has at most " + std::to_string(most_dense) + " dense layers");
    const bool first_trains = layer.kind == layer_kind::convolution || layer.kind == layer_kind::dense;
    if (plan.size() == 0 && !first_trains) throw config_error("a net begins with a convolution or a dense layer");
    if (first_trains && layer.outputs == 0) throw config_error("a layer has at least one output");
    plan.add(layer);
    if (plan.parameters() > most_values || plan.output().size() > most_values)
      throw config_error("a net has at most " + std::to_string(most_values) + " parameters");
  }

  own_net net_{};
  std::vector<float> begin_{};
};

}  // namespace

void bind_own_net(nb::module_& m) {
  register_model<own_net>("classes by a net that Python has written down");
  nb::class_<python_net, own_model>(m, "OwnNet")
      .def(nb::init<const std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>&,
                    const std::vector<python_net::layer>&>(),
           nb::arg("input"), nb::arg("layers"))
      .def("beginning_with", &python_net::beginning_with)
      .def("places", &python_net::places)
      .def_prop_ro("parameters", &python_net::parameters)
      .def("scores", &python_net::scores);
}

}  // namespace hogwild::python
