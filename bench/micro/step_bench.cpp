// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <hogwild/detail/loop/general_step.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "sample.hpp"

// Whole steps, row by row, and passes over the sample. Items are nonzeros.

namespace {

using namespace hogwild;

const auto no_note = [](std::size_t, auto) {};

/// Trains `step` on one row after the other. Steps are small, so that the model does not settle and rows keep writing.
template <class Step>
void train_rows(benchmark::State& state, Step& step) {
  const sparse_view& rows = bench::sample_rows();
  const round_plan round{.step = 1e-6};
  row_cursor cursor(rows);
  std::int64_t nonzeros = 0;
  std::size_t r = 0;
  step.begin(round, 0);
  for (auto _ : state) {
    const auto z = step.example(cursor, r);
    benchmark::DoNotOptimize(step.train(step.reader(), z, no_note));
    nonzeros += static_cast<std::int64_t>(z.size());
    r = r + 1 < rows.rows() ? r + 1 : 0;
  }
  state.SetItemsProcessed(nonzeros);
}

template <class M, class Update>
void sgd_step(benchmark::State& state) {
  const sparse_view& rows = bench::sample_rows();
  const param_store store = bench::store_for(rows.columns);
  const loop_options options{};
  const M m{};
  const step_context context{bench::sample_labels(label_kind::binary), {}, rows.rows(), options};
  margin_sgd_step<direct_sharing<float, Update>> step({store, 0}, margin_loss(m), context);
  train_rows(state, step);
}
BENCHMARK(sgd_step<hinge_svm, update::lossy>);
BENCHMARK(sgd_step<hinge_svm, update::exact>);
BENCHMARK(sgd_step<hinge_svm, update::locked>);
BENCHMARK(sgd_step<logistic, update::lossy>);

template <class M, class Update>
void adagrad_step(benchmark::State& state) {
  const sparse_view& rows = bench::sample_rows();
  const param_store store = bench::store_for(rows.columns);
  const loop_options options{.optimizer = optimizer_kind::adagrad};
  const M m{};
  const step_context context{bench::sample_labels(label_kind::binary), {}, rows.rows(), options};
  margin_adagrad_step<direct_sharing<float, Update>> step({store, 0}, margin_loss(m), context);
  train_rows(state, step);
}
BENCHMARK(adagrad_step<hinge_svm, update::lossy>);
BENCHMARK(adagrad_step<logistic, update::lossy>);

/// range(0) classes, of which the sample's labels use two.
void softmax_step(benchmark::State& state) {
  const sparse_view& rows = bench::sample_rows();
  const softmax m{.features = rows.columns, .classes = static_cast<std::size_t>(state.range(0))};
  const param_store store = bench::store_for(m.dim());
  const loop_options options{};
  using sharing_type = direct_sharing<float, update::lossy>;
  const sharing_type sharing(store, 0);
  const step_context context{bench::sample_labels(label_kind::classes), {}, rows.rows(), options};
  general_step<softmax, sharing_type, sgd<sharing_type::view_type>> step(sharing, m, context);
  train_rows(state, step);
}
BENCHMARK(softmax_step)->ArgName("classes")->Arg(2)->Arg(20);

/// One serial epoch over the sample: the whole worker loop.
void epoch(benchmark::State& state) {
  const auto work = bench::sample_task({.telemetry = static_cast<std::uint32_t>(state.range(0)), .l2 = 1e-6});
  const loop_plan plan = work->plan();
  const auto alone = start(serial_engine{}, *work, plan, {});
  work->initialise(alone->store());
  round_driver rounds(*work, plan, *alone);
  std::size_t e = 0;
  for (auto _ : state) rounds.train_epoch(++e, 1e-3);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(work->data().nonzeros()));
}
BENCHMARK(epoch)->ArgName("telemetry")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

void evaluate(benchmark::State& state) {
  const auto work = bench::sample_task({});
  const param_store store = bench::store_for(work->facts().parameters);
  const auto pool = thread_team::make(thread_team_kind::std, static_cast<std::size_t>(state.range(0)), false);
  for (auto _ : state) benchmark::DoNotOptimize(work->evaluate(store, 1.0, work->data(), *pool, true));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(work->data().nonzeros()));
}
BENCHMARK(evaluate)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
