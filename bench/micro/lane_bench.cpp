// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <generate/generate.hpp>
#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/models/logistic.hpp>

#include "sample.hpp"

// Models side by side against the same models one after the other, by instruction set. A pass is the dots and updates
// of all rows; items are nonzeros times models, so that rates compare.

namespace {

using namespace hogwild;

/// Generated rows in the widths of a kernel, with more entries than the nearest caches hold.
template <class Index, class Value>
struct rows_like {
  std::vector<Index> index;
  std::vector<Value> value;
  std::vector<std::uint64_t> start;
  std::size_t columns;

  explicit rows_like(const generate::options& o) : columns(o.columns) {
    const generate::rows rows = generate::in_memory(o).train;
    index.assign(rows.index.begin(), rows.index.end());
    for (const float x : rows.value) {
      if constexpr (sizeof(Value) == sizeof(float)) value.push_back(x);
      if constexpr (sizeof(Value) != sizeof(float)) value.push_back(to_half(x));
    }
    start = rows.row_start;
  }

  template <class Train>
  void pass(const Train& train) const {
    row_batch<Index, Value> batch{index.data(), value.data(), {}, {}, batch_rows};
    for (std::size_t first = 0; first + batch_rows < start.size(); first += batch_rows) {
      std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(first), batch_rows, batch.begin.begin());
      std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(first) + 1, batch_rows, batch.end.begin());
      train(batch);
    }
  }
  /// The same rows one by one.
  template <class Train>
  void pass_by_row(const Train& train) const {
    pass([&](row_batch<Index, Value> batch) {
      const auto begin = batch.begin, end = batch.end;
      batch.rows = 1;
      for (std::size_t i = 0; i < batch_rows; ++i) {
        batch.begin[0] = begin[i], batch.end[0] = end[i];
        train(batch);
      }
    });
  }
};

/// Shapes of data: text, connection records of few columns, reviews.
constexpr generate::options text{.rows = 20'000, .test_fraction = 0.0};
constexpr generate::options records{
    .rows = 40'000, .columns = 119, .nonzeros = 29.0, .length_spread = 0.1, .zipf = 0.6, .test_fraction = 0.0};
constexpr generate::options reviews{
    .rows = 10'000, .columns = 65'000, .nonzeros = 130.0, .delta = 0.9, .zipf = 1.0, .test_fraction = 0.0};

template <class Index, class Value, const generate::options& Shape>
const rows_like<Index, Value>& rows_of_shape() {
  static const rows_like<Index, Value> rows(Shape);
  return rows;
}

struct aligned_delete {
  void operator()(float* w) const { ::operator delete[](w, std::align_val_t{64}); }
};
std::unique_ptr<float[], aligned_delete> weights(std::size_t n) {
  std::unique_ptr<float[], aligned_delete> w(new (std::align_val_t{64}) float[n]);
  std::fill_n(w.get(), n, 0.0f);
  return w;
}

isa set_of(const benchmark::State& state) {
  return static_cast<isa>(state.range(0));
}
std::size_t number_of(const benchmark::State& state, std::size_t argument) {
  return static_cast<std::size_t>(state.range(argument));
}
void tell(benchmark::State& state, std::size_t items_of_pass) {
  state.SetLabel(std::string(name_of(set_of(state))));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items_of_pass));
}

/// Small, so that weights stay finite.
constexpr float step = -1e-4f;

template <class Index, class Value, const generate::options& Shape>
void side_by_side(benchmark::State& state) {
  const auto lanes = number_of(state, 1);
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = lane_kernels_of<Index, Value>(set_of(state));
  const auto w = weights(rows.columns * lanes);
  alignas(64) std::array<float, batch_rows * most_lanes> change;
  for (auto _ : state) {
    rows.pass([&](const row_batch<Index, Value>& batch) {
      kernels.dots(w.get(), lanes, batch, change.data());
      for (std::size_t i = 0; i < batch_rows * lanes; ++i) change[i] = step * (1.0f + change[i]);
      kernels.updates(w.get(), lanes, batch, change.data());
    });
  }
  tell(state, rows.index.size() * lanes);
}

/// Rows that make proximal steps one after the other, as in models with l1.
template <class Index, class Value, const generate::options& Shape>
void proximal_side_by_side(benchmark::State& state) {
  const auto lanes = number_of(state, 1);
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = lane_kernels_of<Index, Value>(set_of(state));
  const auto w = weights(rows.columns * lanes);
  const std::vector<float> part(rows.columns, 100.0f);
  alignas(64) std::array<float, most_lanes> slope, step_of_each, l1;
  step_of_each.fill(-step), l1.fill(-step * 1e-3f);
  const lane_proximal by{slope.data(), step_of_each.data(), l1.data(), nullptr, part.data(), false};
  for (auto _ : state) {
    rows.pass_by_row([&](const row_batch<Index, Value>& row) {
      kernels.row_dots(w.get(), lanes, row, slope.data());
      for (float& s : slope) s += 1.0f;
      kernels.proximal(w.get(), lanes, row, by);
    });
  }
  tell(state, rows.index.size() * lanes);
}

/// Models of several classes: scores and changes of all rows, one by one, without the work on scores in between.
template <class Index, class Value, const generate::options& Shape>
void classes_side_by_side(benchmark::State& state) {
  const auto classes = number_of(state, 1), lanes = number_of(state, 2);
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = lane_kernels_of<Index, Value>(set_of(state));
  const auto w = weights(rows.columns * classes * lanes);
  std::vector<float> slope(classes * lanes), step_of_each(lanes, -step);
  for (auto _ : state) {
    rows.pass_by_row([&](const row_batch<Index, Value>& row) {
      kernels.scores(w.get(), nullptr, classes * lanes, row, slope.data());
      for (float& s : slope) s += 1.0f;
      kernels.class_changes(w.get(), lanes, row, {slope.data(), step_of_each.data(), nullptr, classes});
    });
  }
  tell(state, rows.index.size() * classes * lanes);
}

/// One of these models.
template <class Index, class Value, const generate::options& Shape>
void classes_alone(benchmark::State& state) {
  const auto classes = number_of(state, 1);
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = row_kernels_of<class_arrays, Index, Value>(set_of(state));
  const auto w = weights(rows.columns * classes);
  std::vector<float> room(classes);
  row_update<class_arrays> update{.to = {w.get(), nullptr, classes}, .step = -step, .room = room.data()};
  const score_response plus_one{[](void* n, std::size_t, float* s) {
                                  for (std::size_t c = 0; c < *static_cast<const std::size_t*>(n); ++c) s[c] += 1.0f;
                                  return true;
                                },
                                &update.to.classes};
  for (auto _ : state) rows.pass([&](const row_batch<Index, Value>& batch) { kernels.sgd(update, batch, plus_one); });
  tell(state, rows.index.size() * classes);
}

/// Factorization machines, and sums of squares where adagrad trains them.
struct machines {
  std::size_t columns, width, lanes;
  bool adagrad;
  std::unique_ptr<float[], aligned_delete> w = weights(numbers()), sums = weights(numbers());

  std::size_t numbers() const { return (columns * (width + 1) + 1) * lanes; }
  fm_arrays arrays_in(float* from) const {
    float* const behind = from + columns * width * lanes;
    return {from, behind, behind + columns * lanes, width};
  }
  fm_arrays parameters() const {
    std::fill_n(w.get(), columns * width * lanes, 0.1f);
    return arrays_in(w.get());
  }
  fm_arrays squares() const { return adagrad ? arrays_in(sums.get()) : fm_arrays{}; }
};

template <class Index, class Value, const generate::options& Shape>
void fms_side_by_side(benchmark::State& state) {
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const machines all{rows.columns, number_of(state, 1), number_of(state, 2), state.range(3) != 0};
  const auto& kernels = lane_kernels_of<Index, Value>(set_of(state));
  std::vector<float> room(2 * all.width * all.lanes), step_of_each(all.lanes, -step);
  alignas(64) std::array<float, most_lanes> slope;
  const lane_fm by{all.parameters(), all.squares(), room.data(), slope.data(), step_of_each.data()};
  for (auto _ : state) {
    rows.pass_by_row([&](const row_batch<Index, Value>& row) {
      kernels.fm_scores(by.to, all.lanes, row, room.data(), slope.data());
      for (float& s : slope) s = 0.1f;
      kernels.fm_changes(all.lanes, row, by);
    });
  }
  tell(state, rows.index.size() * all.lanes);
}

/// One of these models.
template <class Index, class Value, const generate::options& Shape>
void fms_alone(benchmark::State& state) {
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const machines one{rows.columns, number_of(state, 1), 1, state.range(2) != 0};
  const auto& kernels = row_kernels_of<fm_arrays, Index, Value>(set_of(state));
  std::vector<float> room(one.width);
  const row_update<fm_arrays> update{.to = one.parameters(), .sums = one.squares(), .step = -step, .room = room.data()};
  const score_response a_tenth{[](void*, std::size_t, float* s) { return *s = 0.1f, true; }, nullptr};
  for (auto _ : state)
    rows.pass([&](const row_batch<Index, Value>& batch) {
      (one.adagrad ? kernels.adagrad : kernels.sgd)(update, batch, a_tenth);
    });
  tell(state, rows.index.size());
}

/// One model: compare the time of as many passes with the above.
template <class Index, class Value, const generate::options& Shape>
void alone(benchmark::State& state) {
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = kernels_of<Index, Value>(set_of(state));
  const auto w = weights(rows.columns);
  std::array<float, batch_rows> change;
  for (auto _ : state) {
    rows.pass([&](const row_batch<Index, Value>& batch) {
      kernels.dots(w.get(), batch, change.data());
      for (float& c : change) c = step * (1.0f + c);
      kernels.updates(w.get(), batch, change.data());
    });
  }
  tell(state, rows.index.size());
}

/// The derivatives of a batch of models side by side; items are derivatives.
template <class M>
void derivatives_side_by_side(benchmark::State& state) {
  const auto lanes = number_of(state, 0);
  const M model{};
  const margin_loss loss(model);
  std::array<float, batch_rows * most_lanes> margin, label, slope;
  for (std::size_t i = 0; i < margin.size(); ++i) {
    margin[i] = 0.01f * static_cast<float>(i % 301) - 1.5f;
    label[i] = i / lanes % 2 == 0 ? 1.0f : -1.0f;
  }
  for (auto _ : state) {
    loss.derivatives(batch_rows * lanes, margin.data(), label.data(), slope.data());
    benchmark::DoNotOptimize(slope);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch_rows * lanes));
}

using arguments = std::vector<std::int64_t>;
const arguments counts_of_lanes{8, 16, 32}, counts_of_classes{3, 10, 20}, counts_of_factors{4, 8, 16}, no_or_yes{0, 1};

void of_isa(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa"})->ArgsProduct({bench::every_isa()})->Unit(benchmark::kMillisecond);
}
void of_lanes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "lanes"})->ArgsProduct({bench::every_isa(), counts_of_lanes})->Unit(benchmark::kMillisecond);
}
void of_classes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "classes"})->ArgsProduct({bench::every_isa(), counts_of_classes})->Unit(benchmark::kMillisecond);
}
void of_classes_and_lanes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "classes", "lanes"})->Unit(benchmark::kMillisecond);
  b->ArgsProduct({bench::every_isa(), counts_of_classes, counts_of_lanes});
}
void of_factors(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "factors", "adagrad"})->Unit(benchmark::kMillisecond);
  b->ArgsProduct({bench::every_isa(), counts_of_factors, no_or_yes});
}
void of_factors_and_lanes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "factors", "lanes", "adagrad"})->Unit(benchmark::kMillisecond);
  b->ArgsProduct({bench::every_isa(), counts_of_factors, counts_of_lanes, no_or_yes});
}
BENCHMARK(alone<std::uint16_t, float, text>)->Apply(of_isa);
BENCHMARK(side_by_side<std::uint16_t, float, text>)->Apply(of_lanes);
BENCHMARK(alone<std::uint16_t, half, text>)->Apply(of_isa);
BENCHMARK(side_by_side<std::uint16_t, half, text>)->Apply(of_lanes);
BENCHMARK(proximal_side_by_side<std::uint16_t, half, text>)->Apply(of_lanes);
BENCHMARK(alone<std::uint16_t, half, records>)->Apply(of_isa);
BENCHMARK(side_by_side<std::uint16_t, half, records>)->Apply(of_lanes);
BENCHMARK(alone<std::uint32_t, float, reviews>)->Apply(of_isa);
BENCHMARK(side_by_side<std::uint32_t, float, reviews>)->Apply(of_lanes);
BENCHMARK(classes_alone<std::uint16_t, half, records>)->Apply(of_classes);
BENCHMARK(classes_side_by_side<std::uint16_t, half, records>)->Apply(of_classes_and_lanes);
BENCHMARK(classes_alone<std::uint16_t, half, text>)->Apply(of_classes);
BENCHMARK(classes_side_by_side<std::uint16_t, half, text>)->Apply(of_classes_and_lanes);
BENCHMARK(fms_alone<std::uint16_t, half, records>)->Apply(of_factors);
BENCHMARK(fms_side_by_side<std::uint16_t, half, records>)->Apply(of_factors_and_lanes);
BENCHMARK(fms_alone<std::uint16_t, half, text>)->Apply(of_factors);
BENCHMARK(fms_side_by_side<std::uint16_t, half, text>)->Apply(of_factors_and_lanes);
BENCHMARK(derivatives_side_by_side<logistic>)->ArgName("lanes")->Arg(8)->Arg(32);

}  // namespace
