// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <hogwild/check_gradient.hpp>
#include <hogwild/command.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/rows.hpp>

#include "bindings.hpp"
#include "own_model.hpp"

namespace hogwild::python {
namespace {

using slope_function = float (*)(float, float);
using loss_function = double (*)(float, float);
using slopes_function = void (*)(std::size_t, const float*, const float*, float*);
using losses_function = void (*)(std::size_t, const float*, const float*, double*);

/// A margin model whose loops over rows were compiled by Python's compiler, and exist only in this process. Without
/// them, when read back from a file, it can predict, but its loss is NaN.
struct own_loss {
  static constexpr std::string_view name = "own_loss";
  label_kind labels = label_kind::binary;
  slope_function of_slope = nullptr;
  loss_function of_loss = nullptr;
  slopes_function of_slopes = nullptr;
  losses_function of_losses = nullptr;

  void derivatives(std::size_t n, const float* margin, const float* label, float* slope) const {
    if (n < 16) return of_slopes(n, margin, label, slope);
    // A local buffer that does not alias what is read, so that compilers vectorise.
    std::array<float, 64> block;
    for (std::size_t at = 0; at < n; at += block.size()) {
      const std::size_t rows = std::min(block.size(), n - at);
      std::memcpy(block.data(), margin + at, rows * sizeof(float));
      of_slopes(rows, block.data(), label + at, slope + at);
    }
  }
  void losses(std::size_t n, const float* margin, const float* label, double* loss) const {
    of_losses(n, margin, label, loss);
  }
  float derivative(float margin, float label) const { return of_slope(margin, label); }
  double loss(float margin, float label) const {
    return of_loss != nullptr ? of_loss(margin, label) : std::numeric_limits<double>::quiet_NaN();
  }
};

/// The functions that `@hogwild.loss` has compiled, checked against finite differences.
class python_loss final : public own_model {
 public:
  /// Addresses of functions of the types above, in their order; they stay valid as long as `compiled` lives.
  python_loss(std::string title, const std::array<std::uintptr_t, 4>& functions, bool numbers, nb::object compiled)
      : title_(std::move(title)), compiled_(std::move(compiled)) {
    loss_.labels = numbers ? label_kind::real : label_kind::binary;
    loss_.of_slope = reinterpret_cast<slope_function>(functions[0]);
    loss_.of_loss = reinterpret_cast<loss_function>(functions[1]);
    loss_.of_slopes = reinterpret_cast<slopes_function>(functions[2]);
    loss_.of_losses = reinterpret_cast<losses_function>(functions[3]);
    if (!numbers) require_derivative(made_labels());
  }

  std::string_view name() const override { return own_loss::name; }
  bool is_saved() const override { return true; }
  named_model on(const sparse_view& rows) const override {
    if (loss_.labels == label_kind::real) require_derivative(rows.slice(0, std::min<std::size_t>(rows.rows(), 64)));
    return detail::as_named(loss_, model_named(own_loss::name));
  }

 private:
  static const csr_rows& made_rows() {
    static constexpr std::array<std::uint32_t, 3> starts{0, 0, 0};
    static constexpr std::array<float, 2> label{-1.0f, 1.0f};
    static const csr_rows rows(row_starts(std::span<const std::uint32_t>(starts)), std::span<const std::uint32_t>(), {},
                               label, 1);
    return rows;
  }
  static sparse_view made_labels() { return made_rows().view(); }

  void require_derivative(const sparse_view& rows) const {
    if (const auto fault = check_gradient(loss_, rows, {.rows = 64}))
      throw config_error("the loss " + title_ + " and its derivative do not belong together: " + fault->sentence +
                         ". Mend the second of the two numbers that it returns");
  }

  std::string title_;
  nb::object compiled_;
  own_loss loss_{};
};

}  // namespace

void bind_own_loss(nb::module_& m) {
  register_model<own_loss>("a loss of the margin and the label that Python has compiled");
  nb::class_<own_model>(m, "OwnModel");
  nb::class_<python_loss, own_model>(m, "OwnLoss")
      .def(nb::init<std::string, const std::array<std::uintptr_t, 4>&, bool, nb::object>(), nb::arg("title"),
           nb::arg("functions"), nb::arg("numbers"), nb::arg("compiled"));
}

}  // namespace hogwild::python
