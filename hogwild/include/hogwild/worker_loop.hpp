// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/core/telemetry.hpp>
#include <hogwild/loop_options.hpp>
#include <hogwild/ticket_source.hpp>

namespace hogwild {

/// The inner loop of every engine: draw a ticket, train on the rows of its chunk, look for races now and then, exchange
/// when the sharing policy wants to; until the round's tickets are dealt out or the run is asked to stop.
///
/// `Data` gives rows(), row(r) and ensure(first, last); `Step` says what one row does (see step.hpp). Any number of
/// workers run this at once, each with its own slot and step.
template <class Data, class Step>
void worker_loop(const param_store& store, std::size_t slot, const Data& data, const chunk_plan& plan,
                 const loop_options& options, Step& step) {
  const round_plan round = store.control().round;  // a copy: whoever sleeps through a gate goes on with what it read
  worker_slot& me = store.slots()[slot];
  ticket_source tickets(store, round, slot, plan, options.seed);
  const row_sampler sampler(options.order, data.rows(), options.seed, round.pass);
  race_probe probe(store.slots(), slot, options.telemetry != 0);
  std::uint64_t rows = me.rows.get();

  while (me.counts()) {
    const auto drawn = tickets.draw();
    if (!drawn) return;
    const chunk work = plan[drawn->chunk];
    std::uint64_t updates = 0, nonzeros = 0;
    me.held.set(drawn->number + 1);
    me.beats.raise(1);
    if (options.order == row_order::chunked) data.ensure(work.first, work.last);
    step.begin(round, drawn->position);
    for (std::size_t position = work.first; position < work.last; ++position) {
      if (!me.counts()) return me.held.set(0);  // slept too long: the others train on this chunk, and it stays unmarked
      const std::size_t r = sampler(position);
      if (options.order != row_order::chunked) data.ensure(r, r + 1);
      const auto example = step.example(data, r);
      const bool changed =
          probe.due(rows)
              ? probe.watch(step.reader(), example.size(),
                            [&](const auto& reader, const auto& note) { return step.train(reader, example, note); })
              : step.train(step.reader(), example, [](std::size_t, auto) {});
      updates += changed;
      nonzeros += example.size();
      me.rows.set(++rows);
      step.exchange();
    }
    me.updates.raise(updates);
    me.nonzeros.raise(nonzeros);
    store.done()[drawn->number].set(round.number);
    me.held.set(0);
    if (store.control().stopping()) return;
  }
}

}  // namespace hogwild
