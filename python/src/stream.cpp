// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/stream/stream_run.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include <training.hpp>

#include "bindings.hpp"
#include "request.hpp"
#include "rows.hpp"

namespace hogwild::python {
namespace {

/// A margin model that learns from rows as they come; with three or more classes, a model for each against the rest.
class python_stream {
 public:
  /// `classes`: 0 for a model of numbers, else the number of labels 0, 1, ... `weights` and `bias` are the initial
  /// ones, those of a class together; empty: zeros.
  python_stream(const std::vector<std::string>& words, std::size_t classes, std::size_t columns, const array& weights,
                const array& bias)
      : request_(request_of(words, "the stream")), classes_(classes), columns_(columns) {
    const std::span<const float> w = floats_of(weights, "weights"), b = floats_of(bias, "constant terms");
    const std::size_t models = classes > 2 ? classes : 1;
    if (!w.empty() && (w.size() != models * columns || b.size() != models))
      throw input_error("a stream of " + std::to_string(models) + " models of " + std::to_string(columns) +
                        " columns cannot begin with " + std::to_string(w.size()) + " weights and " +
                        std::to_string(b.size()) + " constant terms");
    for (std::size_t k = 0; k < models; ++k) {
      train_options options = request_.options;
      if (classes > 0) options.labels = {-1.0, 1.0};
      if (!w.empty()) {
        std::vector<float> begin(w.begin() + static_cast<std::ptrdiff_t>(k * columns),
                                 w.begin() + static_cast<std::ptrdiff_t>((k + 1) * columns));
        if (options.bias) begin.push_back(b[k]);
        options.initial = [begin](std::span<float> parameters) {
          std::copy(begin.begin(), begin.end(), parameters.begin());
        };
      }
      cli::train_request request = request_;
      request.options = options;
      runs_.emplace_back(new stream_run(cli::make_stream(request, options)));  // cannot be moved
    }
  }

  python_stream(const python_stream&) = delete;
  python_stream& operator=(const python_stream&) = delete;

  /// Trains on all rows, including an incomplete last chunk. `averages`: updates the mean of the parameters over all
  /// rows that this stream trains with it.
  void take(const python_rows& rows, bool averages) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    sparse_view view = rows.view();
    if (view.columns != columns_)
      throw input_error("the rows have " + std::to_string(view.columns) + " columns, and the stream has " +
                        std::to_string(columns_));
    std::vector<double> sign(view.rows());
    diverged_ = false;
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      sparse_view of_class = view;
      if (classes_ > 0) {
        const double larger = classes_ > 2 ? static_cast<double>(k) : 1.0;
        for (std::size_t r = 0; r < sign.size(); ++r) sign[r] = view.label[r] == larger ? 1.0 : -1.0;
        of_class.label = label_column(std::span<const double>(sign));
      }
      train(k, of_class, averages);
    }
    if (averages) averaged_ += view.rows();
  }

  /// The mean of the weights of each model, followed by all constant terms; empty if there is none.
  nb::object mean() const {
    std::vector<double> all;
    {
      const nb::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      for (const std::vector<double>& m : means_)
        all.insert(all.end(), m.begin(), m.begin() + std::ptrdiff_t(columns_));
      for (const std::vector<double>& m : means_) all.push_back(request_.options.bias ? m[columns_] : 0.0);
    }
    return to_numpy(std::move(all));
  }
  /// Rows that the mean covers.
  std::uint64_t averaged() const {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return averaged_;
  }

  /// The weights of each model, those of a model together.
  nb::object weights() const {
    std::vector<float> all;
    for (std::vector<float>& w : parameters()) {
      w.resize(columns_);
      all.insert(all.end(), w.begin(), w.end());
    }
    return to_numpy(std::move(all), runs_.size(), columns_);
  }
  nb::object bias() const {
    std::vector<float> all;
    for (const std::vector<float>& w : parameters()) all.push_back(request_.options.bias ? w.back() : 0.0f);
    return to_numpy(std::move(all));
  }
  /// The step at the last row, in the last model.
  double step() const { return step_; }
  std::uint64_t rows() const { return runs_.front()->rows(); }
  /// Whether the last take(), without averages, found that any model is worse than an untrained one on the last rows.
  bool diverged() const { return diverged_; }

 private:
  /// Trains model k on these rows.
  void train(std::size_t k, const sparse_view& rows, bool averages) {
    stream_run& run = *runs_[k];
    if (!averages) {
      run.take(rows);
      diverged_ = end_call(run) || diverged_;
      return;
    }
    if (means_.empty()) means_.assign(runs_.size(), std::vector<double>(columns_ + 1));
    std::uint64_t before = run.trained(), counted = averaged_;
    const auto join = [&] {
      const auto n = static_cast<double>(run.trained() - before);
      if (n == 0.0) return;
      before = run.trained();
      counted += static_cast<std::uint64_t>(n);
      const std::vector<float> now = weights_of(k);
      for (std::size_t j = 0; j < now.size(); ++j)
        means_[k][j] += (static_cast<double>(now[j]) - means_[k][j]) * n / static_cast<double>(counted);
    };
    const std::size_t piece = 16 * run.chunk_rows();
    for (std::size_t first = 0; first < rows.rows(); first += piece) {
      run.take(rows.slice(first, std::min(first + piece, rows.rows())));
      join();
    }
    end_call(run);
    join();
  }

  /// Trains on remaining rows. Returns whether the model is found to be worse than an untrained one.
  bool end_call(stream_run& run) {
    const stream_report last = run.flush(true);
    step_ = last.step;
    return last.diverged;
  }

  /// The weights of model k by column, followed by its constant term if it has one.
  std::vector<float> weights_of(std::size_t k) const {
    std::vector<float> w = runs_[k]->parameters();
    const bool bias = request_.options.bias;
    const float b = bias ? w.back() : 0.0f;
    w.resize(std::min(w.size() - (bias ? 1 : 0), columns_));
    w.resize(columns_);
    if (bias) w.push_back(b);
    return w;
  }
  std::vector<std::vector<float>> parameters() const {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    std::vector<std::vector<float>> all;
    for (std::size_t k = 0; k < runs_.size(); ++k) all.push_back(weights_of(k));
    return all;
  }

  cli::train_request request_;
  std::size_t classes_, columns_;
  double step_ = 0.0;
  bool diverged_ = false;
  std::vector<std::vector<double>> means_{};  ///< laid out as weights_of()
  std::uint64_t averaged_ = 0;
  mutable std::mutex mutex_{};  ///< of the runs; locked without holding the interpreter
  std::vector<std::unique_ptr<stream_run>> runs_;
};

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<python_stream>(m, "Stream")
      .def(nb::init<const std::vector<std::string>&, std::size_t, std::size_t, const array&, const array&>(),
           nb::arg("words"), nb::arg("classes"), nb::arg("columns"), nb::arg("weights"), nb::arg("bias"))
      .def("take", &python_stream::take, nb::arg("rows"), nb::arg("averages") = false)
      .def("mean", &python_stream::mean)
      .def_prop_ro("averaged", &python_stream::averaged)
      .def("weights", &python_stream::weights)
      .def("bias", &python_stream::bias)
      .def_prop_ro("step", &python_stream::step)
      .def_prop_ro("rows", &python_stream::rows)
      .def_prop_ro("diverged", &python_stream::diverged);
}

}  // namespace hogwild::python
