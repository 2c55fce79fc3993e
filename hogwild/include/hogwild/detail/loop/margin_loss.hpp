// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>

#include <hogwild/detail/data/label_column.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

namespace detail {

template <class C, class R, class... A>
C class_of(R (C::*)(A...) const);

/// Whether the class that declared `Formula` declared this member, too. A model that derives from another one and has a
/// loss of its own inherits members that suit only the other's loss, such as loops over rows and bounds.
template <auto Member, auto Formula>
concept declared_with = std::same_as<decltype(class_of(Member)), decltype(class_of(Formula))>;

/// The functions of a model that loops over rows compute for each row's margin and label.
struct derivative_of_rows {
  using number = float;
  template <class M>
  static number of(const M& m, float margin, float label) {
    return m.derivative(margin, label);
  }
};
struct loss_of_rows {
  using number = double;
  template <class M>
  static number of(const M& m, float margin, float label) {
    if constexpr (requires { requires declared_with<&M::vector_loss, &M::loss>; })
      return static_cast<double>(m.vector_loss(margin, label));
    else
      return static_cast<double>(m.loss(margin, label));
  }
};

template <class What>
using rows_function = void (*)(const void*, std::size_t, const float*, const float*, typename What::number*);

/// Computes blocks of a fixed length in a local array, because compilers vectorise such loops.
template <class What, class M>
inline __attribute__((always_inline)) void by_blocks(const void* p, std::size_t n, const float* margin,
                                                     const float* label, typename What::number* out) {
  constexpr std::size_t block = 16;
  const M& model = *static_cast<const M*>(p);
  for (; n >= block; n -= block, margin += block, label += block, out += block) {
    typename What::number made[block];
    for (std::size_t i = 0; i < block; ++i) made[i] = What::of(model, margin[i], label[i]);
    std::memcpy(out, made, sizeof made);
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = What::of(model, margin[i], label[i]);
}

/// Models that bring their own loops over rows, compiled elsewhere.
template <class M>
concept derives_rows = requires(const M& m, std::size_t n, const float* in, float* out) {
  m.derivatives(n, in, in, out);
  requires declared_with<&M::derivatives, &M::derivative>;
};
template <class M>
concept loses_rows_together = requires(const M& m, std::size_t n, const float* in, double* out) {
  m.losses(n, in, in, out);
  requires declared_with<&M::losses, &M::loss>;
};

template <class What, class M>
void of_rows(const void* p, std::size_t n, const float* margin, const float* label, typename What::number* out) {
  by_blocks<What, M>(p, n, margin, label, out);
}
#if defined(__x86_64__)
/// Without fused multiply-add, so that the bits are the same.
template <class What, class M>
__attribute__((target("avx2"))) void of_rows_by_avx2(const void* p, std::size_t n, const float* margin,
                                                     const float* label, typename What::number* out) {
  by_blocks<What, M>(p, n, margin, label, out);
}
#endif

template <class What, class M>
rows_function<What> widest_of_rows() {
  if constexpr (std::same_as<What, derivative_of_rows> && derives_rows<M>) {
    return [](const void* p, std::size_t n, const float* margin, const float* label, float* out) {
      static_cast<const M*>(p)->derivatives(n, margin, label, out);
    };
  } else if constexpr (std::same_as<What, loss_of_rows> && loses_rows_together<M>) {
    return [](const void* p, std::size_t n, const float* margin, const float* label, double* out) {
      static_cast<const M*>(p)->losses(n, margin, label, out);
    };
  } else {
#if defined(__x86_64__)
    if (has_isa(isa::avx2)) return of_rows_by_avx2<What, M>;
#endif
    return of_rows<What, M>;
  }
}

}  // namespace detail

/// A margin model behind function pointers, so that the loops are compiled once and not for each model. Refers to the
/// model, which must outlive it; trivially copyable.
class margin_loss {
 public:
  template <margin_model M>
  explicit margin_loss(const M& m)
      : model_(&m),
        loss_([](const void* p, float margin, float label) -> double {
          return static_cast<const M*>(p)->loss(margin, label);
        }),
        prediction_(
            [](const void* p, float margin) -> float { return prediction_of(*static_cast<const M*>(p), margin); }),
        derivative_([](const void* p, float margin, float label) -> float {
          return static_cast<const M*>(p)->derivative(margin, label);
        }),
        derivatives_(detail::widest_of_rows<detail::derivative_of_rows, M>()),
        losses_(detail::widest_of_rows<detail::loss_of_rows, M>()) {
    if constexpr (requires { requires detail::declared_with<&M::least_loss, &M::loss>; })
      least_ = [](const void* p, float label) -> double { return static_cast<const M*>(p)->least_loss(label); };
    if constexpr (requires { requires detail::declared_with<&M::smoothness, &M::derivative>; })
      smoothness_ = [](const void* p, double mean_label) -> double {
        return static_cast<const M*>(p)->smoothness(mean_label);
      };
  }

  double loss(float margin, float label) const { return loss_(model_, margin, label); }
  float prediction(float margin) const { return prediction_(model_, margin); }
  /// Whether the model itself gives its smoothness near the fit to labels of some mean, and the value that it gives.
  bool says_smoothness() const { return smoothness_ != nullptr; }
  double smoothness(double mean_label) const { return smoothness_(model_, mean_label); }
  /// A lower bound of the loss, for convex models: 0 if the model gives none.
  double least(float label) const { return least_ == nullptr ? 0.0 : least_(model_, label); }
  float derivative(float margin, float label) const { return derivative_(model_, margin, label); }

  /// slope[i] = derivative(margin[i], label[i]) for i < n, bit for bit: one call for the rows of a micro-batch, which
  /// the compiler vectorises if the model's formula allows it. `slope` may be `margin`.
  void derivatives(std::size_t n, const float* margin, const float* label, float* slope) const {
    derivatives_(model_, n, margin, label, slope);
  }

  /// losses[i] = loss(margin[i], label[i]) for i < n, or by the model's own loop for many at once.
  void losses(std::size_t n, const float* margin, const float* label, double* losses) const {
    losses_(model_, n, margin, label, losses);
  }

 private:
  const void* model_;
  double (*loss_)(const void*, float, float);
  float (*prediction_)(const void*, float);
  double (*smoothness_)(const void*, double) = nullptr;
  double (*least_)(const void*, float) = nullptr;
  float (*derivative_)(const void*, float, float);
  detail::rows_function<detail::derivative_of_rows> derivatives_;
  detail::rows_function<detail::loss_of_rows> losses_;
};

/// The largest change of a margin loss's derivative over one unit of the margin: 1/4 for log(1 + exp(-m)), 1 for
/// squares, and 1 for the hinge, whose derivative jumps by 1. Found by trying margins within 8 of the label.
double smoothness(const margin_loss& loss);

/// The smoothness of a margin model on these rows: the value that the model gives, or that of its loss.
double smoothness(const margin_loss& loss, const label_column& labels);

}  // namespace hogwild
