// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/class_loss.hpp>

#include <algorithm>
#include <utility>

namespace hogwild {

class_loss::class_loss(std::size_t classes, bool one_vs_rest, isa set, std::size_t batch, std::size_t rows)
    : classes_(classes),
      rows_(rows),
      one_vs_rest_(one_vs_rest),
      kernels_(layer_kernels_of(set)),
      labels_(classes, batch),
      lanes_(3 * rows * sizeof(float)) {
  float* at = reinterpret_cast<float*>(lanes_.base());
  for (float** const lane : {&label_, &loss_, &best_}) *lane = std::exchange(at, at + rows_);
}

void class_loss::name_labels(const net_outputs& at) {
  for (std::size_t l = 0; l < rows_; ++l) {
    const bool has = l < at.examples && !labels_.of(at.first + l).empty();
    label_[l] = has ? static_cast<float>(labels_.of(at.first + l).front()) : 0.0f;
  }
}

// The kernels support one class for each example, the first; the parts of the others are subtracted from their result.
void class_loss::differentiate(const net_outputs& at) {
  name_labels(at);
  if (one_vs_rest_) {
    for (std::size_t c = 0; c < classes_; ++c)
      each_probable(at.values + c * rows_, at.part, at.partials + c * rows_, rows_);
  } else {
    std::copy_n(at.values, classes_ * rows_, at.partials);
    kernels_.log_softmax(rows_, classes_, label_, at.partials, loss_, best_);
    kernels_.log_softmax_input(rows_, classes_, label_, at.part, at.partials, at.partials);
  }
  for (std::size_t l = 0; l < at.examples; ++l) {
    const std::span<const std::uint32_t> given = labels_.of(at.first + l);
    const float part = at.part[l];
    if (!one_vs_rest_ && given.empty())
      for (std::size_t c = 0; c < classes_; ++c) at.partials[c * rows_ + l] = 0.0f;
    if (!one_vs_rest_ && given.size() <= 1) continue;
    if (!one_vs_rest_) at.partials[given.front() * rows_ + l] += part;
    const float target = one_vs_rest_ ? part : part / static_cast<float>(given.size());
    for (const std::uint32_t y : given) at.partials[y * rows_ + l] -= target;
  }
}

void class_loss::score(const net_outputs& at, std::span<row_score> scores, std::span<float> of_classes) {
  if (!of_classes.empty()) {
    for (std::size_t c = 0; c < classes_; ++c)
      for (std::size_t l = 0; l < at.examples; ++l)
        of_classes[(at.first + l) * classes_ + c] = at.values[c * rows_ + l];
  }
  if (logs_.base() == nullptr) logs_ = private_memory(classes_ * rows_ * sizeof(float));
  float* const log = reinterpret_cast<float*>(logs_.base());
  std::copy_n(at.values, classes_ * rows_, log);
  name_labels(at);
  kernels_.log_softmax(rows_, classes_, label_, log, loss_, best_);
  rest_loss rest(rows_);
  for (std::size_t c = 0; one_vs_rest_ && c < classes_; ++c) rest.add(at.values + c * rows_);
  for (std::size_t l = 0; l < at.examples; ++l) {
    const std::span<const std::uint32_t> given = labels_.of(at.first + l);
    const float* const of_class = one_vs_rest_ ? at.values : log;
    double own = 0.0;
    for (const std::uint32_t y : given) own += static_cast<double>(of_class[y * rows_ + l]);
    const auto parts = static_cast<double>(std::max<std::size_t>(given.size(), 1));
    scores[at.first + l] = {one_vs_rest_ ? rest.of(l) - own : -own / parts, best_[l]};
  }
}

}  // namespace hogwild
