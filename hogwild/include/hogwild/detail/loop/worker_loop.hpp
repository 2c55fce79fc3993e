// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/data/sampler.hpp>
#include <hogwild/detail/data/singleton_columns.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/chunk_reading.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>

namespace hogwild {

/// Returns what a worker holds while it trains one example: the locks of its sharing policy, or nothing.
template <class Step, class Example>
auto hold_example([[maybe_unused]] Step& step, [[maybe_unused]] const Example& example) {
  if constexpr (Step::traits.exclusive)
    return step.hold(example);
  else
    return std::monostate{};
}

/// Trains one row by a step that takes rows one by one; `watched`: whether the probe looks at it.
template <class Step>
batch_outcome train_row(Step& step, row_cursor& cursor, std::size_t r, race_probe& probe, bool watched) {
  const auto example = step.example(cursor, r);
  [[maybe_unused]] const auto held = hold_example(step, example);
  const bool changed =
      watched ? probe.watch(step.reader(), example.size(),
                            [&](const auto& reader, const auto& note) { return step.train(reader, example, note); })
              : step.train(step.reader(), example, [](std::size_t, auto) {});
  return {changed, example.size()};
}

/// Whether a step trains runs of consecutive rows, which it holds in a form of its own.
template <class Step>
inline constexpr bool takes_runs = requires(Step step) {
  step.train_run(std::size_t{}, std::size_t{});
};

/// The inner loop of every engine: draw a ticket, train on the rows of its chunk, look for races now and then, exchange
/// when the sharing policy wants to; until the round's tickets are dealt out or the run is asked to stop. A stop cuts a
/// chunk short: its ticket stays unmarked, and the changes of its rows are handed over like those of a whole chunk.
///
/// `Step` defines how a row (step.hpp) or a few rows (batch_step.hpp) change the parameters, and where they lie: it
/// derives from its sharing policy. Any number of workers run this at once, each with its own slot and step.
template <class Step>
void worker_loop(const param_store& store, std::size_t slot, const sparse_view& data, const chunk_plan& plan,
                 const loop_options& options, Step& step) {
  const round_plan round = store.control().round;  // a copy: a worker that sleeps through a gate goes on with it
  worker_slot& me = store.slots()[slot];
  const std::unique_ptr<ticket_source> tickets = step.tickets({store, round, slot, plan, options});
  const row_sampler sampler(options.order, data.rows(), options.seed, round.pass);
  race_probe probe(store.slots(), slot, options.telemetry != 0);
  chunk_reading reading(data, plan, options.order);
  row_cursor cursor(data);
  std::array<std::size_t, takes_runs<Step> ? 1 : rows_at_once<Step>> drawn_rows{};
  std::uint64_t rows = me.rows.get();

  step.begin_round(round);
  while (me.counts()) {
    const auto drawn = tickets->draw();
    if (!drawn) return step.end_round();
    const chunk work = plan[drawn->chunk];
    batch_outcome sum;
    me.held.set(drawn->number + 1);
    me.beats.raise(1);
    reading.begin(*tickets, *drawn);
    if (by_chunks(options.order) && !takes_runs<Step>) data.ensure(work.first, work.last);
    const bool moves_singletons = step.moves_singletons();
    if (moves_singletons)
      step.begin_chunk(by_chunks(options.order) ? singleton_columns(data, work.first, work.last) : column_range{});
    step.begin(round, drawn->position);
    bool cut = false;
    for (std::size_t position = work.first; position < work.last;) {
      if (!me.counts()) return me.held.set(0);  // slept too long: the others train on this chunk, and it stays unmarked
      if ((cut = store.control().stopping())) break;
      const std::size_t n = std::min({rows_at_once<Step>, work.last - position, step.rows_to_exchange()});
      for (std::size_t i = 0; i < n && !takes_runs<Step>; ++i) {
        drawn_rows[i] = sampler(position + i);
        if (!by_chunks(options.order)) data.ensure(drawn_rows[i], drawn_rows[i] + 1);
      }
      if constexpr (takes_runs<Step>)
        sum += step.train_run(position, n);
      else if constexpr (rows_at_once < Step >> 1)
        sum += step.train_batch(std::span(drawn_rows).first(n));
      else
        sum += train_row(step, cursor, drawn_rows[0], probe, !Step::traits.replicated && probe.due(rows));
      position += n;
      me.rows.set(rows += n);
      step.exchange(n, probe);
    }
    if (moves_singletons) {
      if (!me.counts()) return me.held.set(0);
      step.end_chunk();
    }
    reading.end(work);
    me.updates.raise(sum.updates);
    me.nonzeros.raise(sum.nonzeros);
    if (!cut) store.done()[drawn->number].raise_to(round.number);
    me.held.set(0);
    tickets->finish(probe);
    if (tickets->stopped()) return step.end_round();
  }
}

}  // namespace hogwild
