// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/net_workspace.hpp>

#include <algorithm>

namespace hogwild {
namespace {

/// Examples that dense layers process at once: enough for whole blocks of their products.
constexpr std::size_t dense_rows = 64;

constexpr std::size_t up_to_lanes(std::size_t n) {
  return (n + layer_lanes - 1) / layer_lanes * layer_lanes;
}

bool has_convolution(const net_plan& net) {
  return std::ranges::any_of(net, [](const placed_layer& at) { return at.layer.kind == layer_kind::convolution; });
}

bool in_place(layer_kind kind) {
  return kind == layer_kind::relu || kind == layer_kind::dropout || kind == layer_kind::channel_dropout;
}

bool drops(layer_kind kind) {
  return kind == layer_kind::dropout || kind == layer_kind::channel_dropout;
}

/// The number of random numbers that an example's dropout draws.
std::size_t masks_of(const placed_layer& at) {
  return at.layer.kind == layer_kind::dropout ? at.to.size() : at.to.planes;
}

/// Whether the outputs of convolution i are pooled before anything else needs them on the way back. Then the pool's
/// partials may overwrite those values, the largest buffer of all.
bool is_pooled_next(const net_plan& net, std::size_t i) {
  if (net[i].layer.kind != layer_kind::convolution) return false;
  for (++i; i < net.size() && drops(net[i].layer.kind); ++i) {
  }
  return i < net.size() && net[i].layer.kind == layer_kind::max_pool;
}

/// The windows of a convolution, in values of its input.
std::vector<std::uint32_t> taps_of(const placed_layer& at) {
  std::vector<std::uint32_t> tap;
  for (std::uint32_t plane = 0; plane < at.from.planes; ++plane)
    for (std::uint32_t i = 0; i < at.layer.side; ++i)
      for (std::uint32_t j = 0; j < at.layer.side; ++j) tap.push_back((plane * at.from.height + i) * at.from.width + j);
  return tap;
}
std::vector<std::uint32_t> places_of(const placed_layer& at) {
  std::vector<std::uint32_t> place;
  for (std::uint32_t i = 0; i < at.to.height; ++i)
    for (std::uint32_t j = 0; j < at.to.width; ++j) place.push_back(i * at.from.width + j);
  return place;
}

/// Allocates runs of floats that begin on cache lines; without memory it only counts.
class cutter {
 public:
  explicit cutter(float* base) : base_(base) {}
  float* run(std::size_t n) {
    float* const begin = base_ == nullptr ? nullptr : base_ + used_;
    used_ += up_to_lanes(n);
    return begin;
  }
  std::size_t used() const { return used_; }

 private:
  float* base_;
  std::size_t used_ = 0;
};

}  // namespace

net_workspace::net_workspace(const net_plan& net, isa set, std::size_t batch, bool of_input)
    : net_(net),
      kernels_(layer_kernels_of(set)),
      batch_(std::max<std::size_t>(batch, 1)),
      rows_(has_convolution(net) ? layer_lanes : std::min(up_to_lanes(batch_), dense_rows)),
      of_input_(of_input) {
  const std::size_t passes = (batch_ + rows_ - 1) / rows_;
  layers_.resize(net_.size());
  inputs_.resize(passes);
  if (of_input_) input_partials_.resize(passes);
  key_.resize(passes * rows_);
  memory_ = private_memory(lay_out(nullptr) * sizeof(float));
  lay_out(reinterpret_cast<float*>(memory_.base()));
}

std::size_t net_workspace::lay_out(float* base) {
  cutter memory(base);
  parameters_ = memory.run(net_.parameters());
  gradient_ = memory.run(net_.parameters());
  for (float** const examples : {&label_, &weight_}) *examples = memory.run(inputs_.size() * rows_);
  for (float** const lanes : {&part_, &loss_, &best_}) *lanes = memory.run(rows_);
  for (float*& input : inputs_) input = memory.run(net_.input().size() * rows_);
  for (float*& partials : input_partials_) partials = memory.run(net_.input().size() * rows_);
  float *values = nullptr, *partials = nullptr;
  std::size_t draws = 0;
  bool asked = of_input_;  // or an earlier layer has parameters, so that the partials are needed
  for (std::size_t i = 0; i < net_.size(); ++i) {
    const placed_layer& at = net_[i];
    buffers& b = layers_[i];
    b.from = values;
    b.from_partials = partials;
    if (!in_place(at.layer.kind)) {
      values = memory.run(at.to.size() * rows_);
      asked = asked || at.trains();
      partials = !asked ? nullptr : is_pooled_next(net_, i) ? values : memory.run(at.to.size() * rows_);
    }
    b.to = values;
    b.to_partials = partials;
    if (drops(at.layer.kind)) {
      b.mask = memory.run(masks_of(at) * rows_);
      b.first_draw = draws;
      draws += masks_of(at);
    }
    if (at.layer.kind == layer_kind::convolution) b.tap = taps_of(at), b.place = places_of(at);
  }
  return memory.used();
}

template <class Take>
void net_workspace::by_inputs(const placed_layer& at, const Take& take) {
  constexpr std::size_t products = std::size_t{1} << 25;
  const std::size_t most = std::max<std::size_t>(products / (rows_ * at.layer.outputs), 1);
  for (std::size_t first = 0; first < at.inputs && !stopping(); first += most)
    take(first, std::min(most, at.inputs - first));
}

void net_workspace::forward(std::size_t pass, bool training) {
  for (std::size_t i = 0; i < net_.size() && !stopping(); ++i) {
    const placed_layer& at = net_[i];
    const buffers& b = layers_[i];
    const float* const from = b.from != nullptr ? b.from : inputs_[pass];
    float* const to = b.to != nullptr ? b.to : inputs_[pass];
    const float *const weights = parameters_ + at.weights, *const biases = parameters_ + at.biases();
    const std::size_t values = at.to.size();
    switch (at.layer.kind) {
      case layer_kind::convolution:
        kernels_.taps({at.layer.outputs, b.tap, b.place}, weights, biases, from, to);
        break;
      case layer_kind::dense:
        by_inputs(at, [&](std::size_t first, std::size_t n) {
          kernels_.dense(rows_, n, at.layer.outputs, weights + first * at.layer.outputs, first == 0 ? biases : nullptr,
                         from + first * rows_, to);
        });
        break;
      case layer_kind::max_pool:
        kernels_.max_pool({at.from.planes, at.from.height, at.from.width}, from, to);
        break;
      case layer_kind::relu:
        kernels_.relu(values * rows_, to);
        break;
      case layer_kind::dropout:
      case layer_kind::channel_dropout:
        if (!training) break;
        kernels_.dropout_mask(rows_, &key_[pass * rows_], b.first_draw, masks_of(at), at.layer.rate, b.mask);
        kernels_.apply_mask(rows_, masks_of(at), values / masks_of(at), b.mask, to);
        break;
    }
  }
}

void net_workspace::backward(std::size_t pass) {
  for (std::size_t i = net_.size(); i-- > 0 && !stopping();) {
    const placed_layer& at = net_[i];
    const buffers& b = layers_[i];
    float* const of_input = of_input_ ? input_partials_[pass] : nullptr;
    float* const to_partials = b.to_partials != nullptr ? b.to_partials : of_input;
    float* const from_partials = b.from_partials != nullptr ? b.from_partials : of_input;
    if (to_partials == nullptr) return;
    const float* const from = b.from != nullptr ? b.from : inputs_[pass];
    const float* const to = b.to != nullptr ? b.to : inputs_[pass];
    const float* const weights = parameters_ + at.weights;
    float *const weights_partials = gradient_ + at.weights, *const biases_partials = gradient_ + at.biases();
    const std::size_t values = at.to.size();
    switch (at.layer.kind) {
      case layer_kind::convolution: {
        const tap_shape shape{at.layer.outputs, b.tap, b.place};
        kernels_.taps_weights(shape, from, to_partials, weights_partials, biases_partials);
        if (from_partials == nullptr) break;
        std::fill_n(from_partials, at.from.size() * rows_, 0.0f);
        kernels_.taps_input(shape, weights, to_partials, from_partials);
        break;
      }
      case layer_kind::dense:
        by_inputs(at, [&](std::size_t first, std::size_t n) {
          const std::size_t begin = first * at.layer.outputs;
          kernels_.dense_weights(rows_, n, at.layer.outputs, from + first * rows_, to_partials,
                                 weights_partials + begin, first == 0 ? biases_partials : nullptr);
          if (from_partials == nullptr) return;
          kernels_.dense_input(rows_, n, at.layer.outputs, weights + begin, to_partials, from_partials + first * rows_);
        });
        break;
      case layer_kind::max_pool:
        if (from_partials == nullptr) break;
        kernels_.max_pool_input({at.from.planes, at.from.height, at.from.width}, from, to, to_partials, from_partials);
        break;
      case layer_kind::relu:
        kernels_.relu_input(values * rows_, to, to_partials);
        break;
      case layer_kind::dropout:
      case layer_kind::channel_dropout:
        kernels_.apply_mask(rows_, masks_of(at), values / masks_of(at), b.mask, to_partials);
        break;
    }
  }
}

net_outputs net_workspace::outputs_of(std::size_t pass, std::size_t n) const {
  const buffers last = layers_.empty() ? buffers{} : layers_.back();
  const std::size_t first = pass * rows_;
  float* const of_input = of_input_ ? input_partials_[pass] : nullptr;
  return {.first = first,
          .examples = std::min(rows_, n - first),
          .rows = rows_,
          .values = last.to != nullptr ? last.to : inputs_[pass],
          .partials = last.to_partials != nullptr ? last.to_partials : of_input};
}

void net_workspace::differentiate(std::size_t n, const outside_loss& loss) {
  std::fill_n(gradient_, net_.parameters(), 0.0f);
  stopped_ = false;
  for (std::size_t pass = 0; pass * rows_ < n && !stopping(); ++pass) {
    forward(pass, true);
    if (stopped_) break;
    net_outputs at = outputs_of(pass, n);
    // Lanes without an example have no weight; they hold earlier examples, or zeros.
    for (std::size_t l = 0; l < rows_; ++l)
      part_[l] = l < at.examples ? weight_[at.first + l] * (1.0f / static_cast<float>(n)) : 0.0f;
    at.part = part_;
    loss(at);
    backward(pass);
  }
}

double net_workspace::differentiate(std::size_t n) {
  double sum = 0.0;
  differentiate(n, [&](const net_outputs& at) {
    const std::size_t classes = net_.output().size();
    const float* const label = label_ + at.first;
    const buffers& last = layers_.back();
    kernels_.log_softmax(rows_, classes, label, last.to, loss_, best_);
    kernels_.log_softmax_input(rows_, classes, label, at.part, last.to, last.to_partials);
    for (std::size_t l = 0; l < at.examples; ++l)
      sum += static_cast<double>(at.part[l]) * static_cast<double>(loss_[l]);
  });
  return sum;
}

void net_workspace::score(std::size_t n, const outside_loss& loss) {
  stopped_ = false;
  for (std::size_t pass = 0; pass * rows_ < n; ++pass) {
    forward(pass, false);
    if (stopped_) return;
    net_outputs at = outputs_of(pass, n);
    at.partials = nullptr;
    loss(at);
  }
}

void net_workspace::score(std::size_t n, std::span<row_score> scores) {
  score(n, [&](const net_outputs& at) {
    kernels_.log_softmax(rows_, net_.output().size(), label_ + at.first, layers_.back().to, loss_, best_);
    for (std::size_t l = 0; l < at.examples; ++l) scores[at.first + l] = {static_cast<double>(loss_[l]), best_[l]};
  });
}

}  // namespace hogwild
