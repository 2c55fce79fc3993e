// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>

#include "sample.hpp"

// The kernels of margin models on private memory, by instruction set and width of the rows. Items are nonzeros.

namespace {

using namespace hogwild;

/// The sample in the widths of a kernel, with labels of -1 and 1.
template <class Index, class Value>
struct rows_of {
  std::vector<Index> index;
  std::vector<Value> value;
  std::vector<std::uint64_t> start{0};
  std::vector<float> label;

  /// Columns are taken modulo `columns`, each once a row; of each row the first `most` entries are used.
  rows_of(std::size_t columns, std::size_t most) {
    std::vector<std::size_t> last_row(columns);  // last row with the column, counted from 1
    const sparse_view& sample = bench::sample_rows();
    const label_map& labels = bench::sample_labels(label_kind::binary);
    row_cursor cursor(sample);
    for (std::size_t r = 0; r < sample.rows(); ++r) {
      for (auto [j, x] : cursor.row(r)) {
        const std::size_t column = j % columns;
        if (last_row[column] == r + 1 || index.size() - start.back() == most) continue;
        last_row[column] = r + 1;
        index.push_back(static_cast<Index>(column));
        if constexpr (sizeof(Value) == sizeof(float)) {
          value.push_back(x);
        } else {
          value.push_back(to_half(x));
        }
      }
      start.push_back(index.size());
      label.push_back(labels.encode(sample.label[r]));
    }
  }

  row_batch<Index, Value> batch(std::size_t first) const {
    row_batch<Index, Value> rows{index.data(), value.data(), {}, {}, std::min(batch_rows, label.size() - first)};
    for (std::size_t i = 0; i < rows.rows; ++i) {
      rows.begin[i] = start[first + i];
      rows.end[i] = start[first + i + 1];
    }
    return rows;
  }
};

template <class Index, class Value>
const rows_of<Index, Value>& all_columns() {
  static const rows_of<Index, Value> rows(65536, 65536);
  return rows;
}
/// In the shape of a9a: categories of census data, 14 a row.
template <class Index, class Value>
const rows_of<Index, Value>& few_columns() {
  static const rows_of<Index, Value> rows(register_columns, 14);
  return rows;
}

/// Calls `train(batch, first)` on one batch after the other.
template <class Index, class Value, class Train>
void pass_over(benchmark::State& state, const rows_of<Index, Value>& rows, const Train& train) {
  std::int64_t nonzeros = 0;
  std::size_t first = 0;
  for (auto _ : state) {
    const auto batch = rows.batch(first);
    train(batch, first);
    nonzeros += static_cast<std::int64_t>(batch.end[batch.rows - 1] - batch.begin[0]);
    first = first + batch_rows < rows.label.size() ? first + batch_rows : 0;
  }
  state.SetItemsProcessed(nonzeros);
}

template <class Index, class Value>
const margin_kernels<Index, Value>& kernels_for(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  state.SetLabel(std::string(name_of(set)));
  return kernels_of<Index, Value>(set);
}

constexpr float step = 1e-4f;  // small, so that the model does not settle and rows keep writing

template <class M, class Index, class Value>
void train_by_batches(benchmark::State& state, const rows_of<Index, Value>& rows) {
  const auto& kernels = kernels_for<Index, Value>(state);
  const M model{};
  const margin_loss loss(model);
  std::vector<float> w(bench::sample_rows().columns);
  pass_over(state, rows, [&](const row_batch<Index, Value>& batch, std::size_t first) {
    std::array<float, batch_rows> margin, change;
    kernels.dots(w.data(), batch, margin.data());
    loss.derivatives(batch.rows, margin.data(), rows.label.data() + first, change.data());
    for (float& c : change) c *= -step;
    kernels.updates(w.data(), batch, change.data());
  });
}

template <class M, class Index, class Value>
void micro_batches(benchmark::State& state) {
  train_by_batches<M>(state, all_columns<Index, Value>());
}

template <class M, class Index, class Value>
void few_columns_micro_batches(benchmark::State& state) {
  train_by_batches<M>(state, few_columns<Index, Value>());
}

template <class M, class Index, class Value>
void few_columns_steps(benchmark::State& state) {
  const auto& kernels = kernels_for<Index, Value>(state);
  const M model{};
  struct context {
    margin_loss loss;
    const float* label;
  } seen{margin_loss(model), nullptr};
  const row_response response{[](void* at, std::size_t row, float dot) {
                                const auto* c = static_cast<const context*>(at);
                                return -step * c->loss.derivative(dot, c->label[row]);
                              },
                              &seen};
  const rows_of<Index, Value>& rows = few_columns<Index, Value>();
  std::array<float, register_columns> w{};
  pass_over(state, rows, [&](const row_batch<Index, Value>& batch, std::size_t first) {
    seen.label = rows.label.data() + first;
    kernels.steps(w.data(), w.size(), batch, response);
  });
}

void on_every_isa(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa"})->ArgsProduct({bench::every_isa()});
}
BENCHMARK(micro_batches<hinge_svm, std::uint32_t, float>)->Apply(on_every_isa);
BENCHMARK(micro_batches<hinge_svm, std::uint16_t, float>)->Apply(on_every_isa);
BENCHMARK(micro_batches<hinge_svm, std::uint16_t, half>)->Apply(on_every_isa);
BENCHMARK(micro_batches<logistic, std::uint32_t, float>)->Apply(on_every_isa);
BENCHMARK(micro_batches<logistic, std::uint16_t, half>)->Apply(on_every_isa);
BENCHMARK(few_columns_micro_batches<logistic, std::uint16_t, float>)->Apply(on_every_isa);
BENCHMARK(few_columns_steps<logistic, std::uint16_t, float>)->Apply(on_every_isa);

}  // namespace
