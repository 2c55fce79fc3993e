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
#include <hogwild/detail/task/margin_loss.hpp>
#include <hogwild/models/logistic.hpp>

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

/// Small, so that weights stay finite.
constexpr float step = -1e-4f;

template <class Index, class Value, const generate::options& Shape>
void side_by_side(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  const auto lanes = static_cast<std::size_t>(state.range(1));
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = lane_kernels_of<Index, Value>(set);
  const auto w = weights(rows.columns * lanes);
  alignas(64) std::array<float, batch_rows * most_lanes> change;
  for (auto _ : state) {
    rows.pass([&](const row_batch<Index, Value>& batch) {
      kernels.dots(w.get(), lanes, batch, change.data());
      for (std::size_t i = 0; i < batch_rows * lanes; ++i) change[i] = step * (1.0f + change[i]);
      kernels.updates(w.get(), lanes, batch, change.data());
    });
  }
  state.SetLabel(std::string(name_of(set)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.index.size() * lanes));
}

/// Rows that make proximal steps one after the other, as in models with l1.
template <class Index, class Value, const generate::options& Shape>
void proximal_side_by_side(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  const auto lanes = static_cast<std::size_t>(state.range(1));
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = lane_kernels_of<Index, Value>(set);
  const auto w = weights(rows.columns * lanes);
  const std::vector<float> part(rows.columns, 100.0f);
  alignas(64) std::array<float, most_lanes> slope, step_of_each, l1;
  step_of_each.fill(-step), l1.fill(-step * 1e-3f);
  const lane_proximal by{slope.data(), step_of_each.data(), l1.data(), nullptr, part.data(), false};
  for (auto _ : state) {
    rows.pass([&](row_batch<Index, Value> batch) {
      const auto begin = batch.begin, end = batch.end;
      batch.rows = 1;
      for (std::size_t i = 0; i < batch_rows; ++i) {
        batch.begin[0] = begin[i], batch.end[0] = end[i];
        kernels.row_dots(w.get(), lanes, batch, slope.data());
        for (float& s : slope) s += 1.0f;
        kernels.proximal(w.get(), lanes, batch, by);
      }
    });
  }
  state.SetLabel(std::string(name_of(set)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.index.size() * lanes));
}

/// Models of several classes: scores and changes of all rows, one by one, without the work on scores in between.
template <class Index, class Value, const generate::options& Shape>
void classes_side_by_side(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  const auto classes = static_cast<std::size_t>(state.range(1)), lanes = static_cast<std::size_t>(state.range(2));
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = lane_kernels_of<Index, Value>(set);
  const auto w = weights(rows.columns * classes * lanes);
  std::vector<float> slope(classes * lanes), step_of_each(lanes, -step);
  for (auto _ : state) {
    rows.pass([&](row_batch<Index, Value> batch) {
      const auto begin = batch.begin, end = batch.end;
      batch.rows = 1;
      for (std::size_t i = 0; i < batch_rows; ++i) {
        batch.begin[0] = begin[i], batch.end[0] = end[i];
        kernels.scores(w.get(), nullptr, classes * lanes, batch, slope.data());
        for (float& s : slope) s += 1.0f;
        kernels.class_changes(w.get(), lanes, batch, {slope.data(), step_of_each.data(), nullptr, classes});
      }
    });
  }
  state.SetLabel(std::string(name_of(set)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.index.size() * classes * lanes));
}

/// One of these models.
template <class Index, class Value, const generate::options& Shape>
void classes_alone(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  const auto classes = static_cast<std::size_t>(state.range(1));
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = row_kernels_of<class_arrays, Index, Value>(set);
  const auto w = weights(rows.columns * classes);
  std::vector<float> room(classes);
  row_update<class_arrays> update{.to = {w.get(), nullptr, classes}, .step = -step, .room = room.data()};
  const score_response plus_one{[](void* n, std::size_t, float* s) {
                                  for (std::size_t c = 0; c < *static_cast<const std::size_t*>(n); ++c) s[c] += 1.0f;
                                  return true;
                                },
                                &update.to.classes};
  for (auto _ : state) rows.pass([&](const row_batch<Index, Value>& batch) { kernels.sgd(update, batch, plus_one); });
  state.SetLabel(std::string(name_of(set)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.index.size() * classes));
}

/// Factorization machines, and sums of squares where adagrad trains them.
struct machines {
  std::size_t columns, width, lanes;
  bool adagrad;
  std::unique_ptr<float[], aligned_delete> w = weights(numbers()), sums = weights(numbers());

  std::size_t numbers() const { return (columns * (width + 1) + 1) * lanes; }
  machine_arrays arrays_in(float* from) const {
    float* const behind = from + columns * width * lanes;
    return {from, behind, behind + columns * lanes, width};
  }
  machine_arrays parameters() const {
    std::fill_n(w.get(), columns * width * lanes, 0.1f);
    return arrays_in(w.get());
  }
  machine_arrays squares() const { return adagrad ? arrays_in(sums.get()) : machine_arrays{}; }
};

template <class Index, class Value, const generate::options& Shape>
void machines_side_by_side(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const machines all{rows.columns, static_cast<std::size_t>(state.range(1)), static_cast<std::size_t>(state.range(2)),
                     state.range(3) != 0};
  const auto& kernels = lane_kernels_of<Index, Value>(set);
  std::vector<float> room(2 * all.width * all.lanes), step_of_each(all.lanes, -step);
  alignas(64) std::array<float, most_lanes> slope;
  const lane_machines by{all.parameters(), all.squares(), room.data(), slope.data(), step_of_each.data()};
  for (auto _ : state) {
    rows.pass([&](row_batch<Index, Value> batch) {
      const auto begin = batch.begin, end = batch.end;
      batch.rows = 1;
      for (std::size_t i = 0; i < batch_rows; ++i) {
        batch.begin[0] = begin[i], batch.end[0] = end[i];
        kernels.machine_scores(by.to, all.lanes, batch, room.data(), slope.data());
        for (float& s : slope) s = 0.1f;
        kernels.machine_changes(all.lanes, batch, by);
      }
    });
  }
  state.SetLabel(std::string(name_of(set)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.index.size() * all.lanes));
}

/// One of these models.
template <class Index, class Value, const generate::options& Shape>
void machines_alone(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const machines one{rows.columns, static_cast<std::size_t>(state.range(1)), 1, state.range(2) != 0};
  const auto& kernels = row_kernels_of<machine_arrays, Index, Value>(set);
  std::vector<float> room(one.width);
  const row_update<machine_arrays> update{
      .to = one.parameters(), .sums = one.squares(), .step = -step, .room = room.data()};
  const score_response a_tenth{[](void*, std::size_t, float* s) { return *s = 0.1f, true; }, nullptr};
  for (auto _ : state)
    rows.pass([&](const row_batch<Index, Value>& batch) {
      (one.adagrad ? kernels.adagrad : kernels.sgd)(update, batch, a_tenth);
    });
  state.SetLabel(std::string(name_of(set)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.index.size()));
}

/// One model: compare the time of as many passes with the above.
template <class Index, class Value, const generate::options& Shape>
void alone(benchmark::State& state) {
  const auto set = static_cast<isa>(state.range(0));
  const auto& rows = rows_of_shape<Index, Value, Shape>();
  const auto& kernels = kernels_of<Index, Value>(set);
  const auto w = weights(rows.columns);
  std::array<float, batch_rows> change;
  for (auto _ : state) {
    rows.pass([&](const row_batch<Index, Value>& batch) {
      kernels.dots(w.get(), batch, change.data());
      for (float& c : change) c = step * (1.0f + c);
      kernels.updates(w.get(), batch, change.data());
    });
  }
  state.SetLabel(std::string(name_of(set)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.index.size()));
}

/// The derivatives of a batch of models side by side; items are derivatives.
template <class M>
void derivatives_side_by_side(benchmark::State& state) {
  const auto lanes = static_cast<std::size_t>(state.range(0));
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

void on_every_isa(benchmark::internal::Benchmark* b) {
  b->ArgName("isa")->Unit(benchmark::kMillisecond);
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    if (has_isa(set)) b->Arg(static_cast<std::int64_t>(set));
}
void on_every_isa_with_lanes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "lanes"})->Unit(benchmark::kMillisecond);
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    for (const std::int64_t lanes : {8, 16, 32})
      if (has_isa(set)) b->Args({static_cast<std::int64_t>(set), lanes});
}
void on_every_isa_with_classes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "classes"})->Unit(benchmark::kMillisecond);
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    for (const std::int64_t classes : {3, 10, 20})
      if (has_isa(set)) b->Args({static_cast<std::int64_t>(set), classes});
}
void on_every_isa_with_classes_and_lanes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "classes", "lanes"})->Unit(benchmark::kMillisecond);
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    for (const std::int64_t classes : {3, 10, 20})
      for (const std::int64_t lanes : {8, 16, 32})
        if (has_isa(set)) b->Args({static_cast<std::int64_t>(set), classes, lanes});
}
void on_every_isa_with_factors(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "factors", "adagrad"})->Unit(benchmark::kMillisecond);
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    for (const std::int64_t factors : {4, 8, 16})
      for (const std::int64_t adagrad : {0, 1})
        if (has_isa(set)) b->Args({static_cast<std::int64_t>(set), factors, adagrad});
}
void on_every_isa_with_factors_and_lanes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"isa", "factors", "lanes", "adagrad"})->Unit(benchmark::kMillisecond);
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    for (const std::int64_t factors : {4, 8, 16})
      for (const std::int64_t lanes : {8, 16, 32})
        for (const std::int64_t adagrad : {0, 1})
          if (has_isa(set)) b->Args({static_cast<std::int64_t>(set), factors, lanes, adagrad});
}
BENCHMARK(alone<std::uint16_t, float, text>)->Apply(on_every_isa);
BENCHMARK(side_by_side<std::uint16_t, float, text>)->Apply(on_every_isa_with_lanes);
BENCHMARK(alone<std::uint16_t, half, text>)->Apply(on_every_isa);
BENCHMARK(side_by_side<std::uint16_t, half, text>)->Apply(on_every_isa_with_lanes);
BENCHMARK(proximal_side_by_side<std::uint16_t, half, text>)->Apply(on_every_isa_with_lanes);
BENCHMARK(alone<std::uint16_t, half, records>)->Apply(on_every_isa);
BENCHMARK(side_by_side<std::uint16_t, half, records>)->Apply(on_every_isa_with_lanes);
BENCHMARK(alone<std::uint32_t, float, reviews>)->Apply(on_every_isa);
BENCHMARK(side_by_side<std::uint32_t, float, reviews>)->Apply(on_every_isa_with_lanes);
BENCHMARK(classes_alone<std::uint16_t, half, records>)->Apply(on_every_isa_with_classes);
BENCHMARK(classes_side_by_side<std::uint16_t, half, records>)->Apply(on_every_isa_with_classes_and_lanes);
BENCHMARK(classes_alone<std::uint16_t, half, text>)->Apply(on_every_isa_with_classes);
BENCHMARK(classes_side_by_side<std::uint16_t, half, text>)->Apply(on_every_isa_with_classes_and_lanes);
BENCHMARK(machines_alone<std::uint16_t, half, records>)->Apply(on_every_isa_with_factors);
BENCHMARK(machines_side_by_side<std::uint16_t, half, records>)->Apply(on_every_isa_with_factors_and_lanes);
BENCHMARK(machines_alone<std::uint16_t, half, text>)->Apply(on_every_isa_with_factors);
BENCHMARK(machines_side_by_side<std::uint16_t, half, text>)->Apply(on_every_isa_with_factors_and_lanes);
BENCHMARK(derivatives_side_by_side<logistic>)->ArgName("lanes")->Arg(8)->Arg(32);

}  // namespace
