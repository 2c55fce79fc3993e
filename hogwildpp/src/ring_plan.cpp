// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/control/ring_token.hpp>
#include <hogwild/detail/options/combinations.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <hogwild/names.hpp>
#include <hogwildpp/detail/delta_message.hpp>
#include <hogwildpp/ring_engine.hpp>

namespace hogwild {

namespace {

void require_sound(const released_options& o, ring_rule rule) {
  if (rule != ring_rule::released && o != released_options{})
    throw config_error("tolerance, rows and dense exchanges are the released rule's: leave them out, or use that rule");
  if (!(o.tolerance >= 0.0) || !std::isfinite(o.tolerance))
    throw config_error("the tolerance of the released rule must not be negative");
  if (o.rows != 0 && (!std::has_single_bit(o.rows) || o.rows > 4096))
    throw config_error("the rows between exchanges by the released rule are a power of two, up to 4096");
}

}  // namespace

ring_layout ring_engine::layout(std::size_t started, const std::string& why_fewer) const {
  const std::size_t taking_part = replicas ? *replicas : std::min(numa_nodes(allowed_cpus()), started);
  if (taking_part == 0) throw config_error("a ring has at least one replica; leave the number out for the usual one");
  if (taking_part > started) {
    throw config_error(std::to_string(taking_part) + " replicas need as many workers at least, but there are " +
                       std::to_string(started) +
                       (why_fewer.empty() ? "; ask for more workers or for fewer replicas"
                                          : ": " + why_fewer + ", or ask for fewer replicas"));
  }
  if (taking_part > ring_token::most_replicas) {
    throw config_error(std::to_string(taking_part) + " replicas are more than the " +
                       std::to_string(ring_token::most_replicas) + " that a ring may have");
  }
  if ((ranks == nullptr) != (link == nullptr))
    throw config_error("a ring of processes needs both: all their ranks, and this one's ends of the ring");
  const std::size_t processes = ranks == nullptr ? 1 : ranks->size();
  if (processes > 1 && rule != ring_rule::deltas)
    throw config_error("the replicas of several processes exchange by the rule deltas; leave out the exchange rule");
  require_sound(released, rule);
  if (processes > delta_header::most_ranks) {
    throw config_error(std::to_string(processes) + " processes are more than the " +
                       std::to_string(delta_header::most_ranks) + " that a ring may have");
  }
  return {.replicas = taking_part, .rule = rule, .ranks = processes};
}

namespace {

/// Other ranks see the weights as of the worker's last exchange: l2 must not have changed them much since.
void exchange_before_l2_shows(exchange_options& exchange, double step, double l2) {
  exchange.workers = std::max<std::uint64_t>(exchange.workers, 2);
  const auto most = static_cast<std::uint64_t>(std::clamp(0.25 / std::max(step * l2, 1e-9), 1.0, 4096.0));
  exchange.rows = std::min(exchange.rows, std::bit_floor(most));
  exchange.least = std::min(exchange.least, exchange.rows);
}

}  // namespace

void require_same_engine(const ring_engine& engine, const agreement& ranks) {
  const auto number = [](auto x) { return detail::to_text(x); };
  const std::vector<named_value> mine{
      {"the engine", "ring"},
      {"the exchange rule", std::string(name_of(engine.rule))},
      {"released.tolerance", number(engine.released.tolerance)},
      {"released.rows", number(engine.released.rows)},
      {"released.dense", number(engine.released.dense)},
      {"the values of messages", engine.message_values == delta_values::as_half ? "half" : "float"}};
  detail::require_same_on_ranks(mine, ranks);
}

// Workers hold replicas of their replica on the ring; the stability bound counts the gains of all of them together.
std::size_t plan_sharing(const ring_engine& engine, run_planner& run) {
  std::size_t workers = engine.transport == transport_kind::in_process ? run.count_threads(engine.workers, engine.team)
                                                                       : run.count_workers(engine.workers);
  const ring_layout ring = engine.layout(workers, run.why_fewer());
  sharing_surroundings around{.others = ring.ranks > 1};
  if (ring.replicas < 2 && !around.others) {
    run.note("one replica is plain Hogwild!, not a ring; ask for more replicas than this machine has memory nodes");
    return run.decide_sharing(workers);
  }
  require_compatible(run.combined(trained_by::ring));
  if (run.loop().optimizer == optimizer_kind::ftrl && ring.rule != ring_rule::deltas)
    throw config_error(
        "ftrl cannot average over replicas, because its weights are not linear in the sums that it keeps: use the "
        "exchange rule deltas, or another optimizer");
  run.ask_for(sharing_kind::buffered);
  // An exchange may find the token elsewhere once. A worker that has its replica to itself soon looks again, but if
  // several share one, each of the others may be one look late.
  const bool one_each = ring.rule == ring_rule::deltas && workers == ring.replicas;
  if (ring.replicas > 1)
    around.delay = one_each ? 1.0 + static_cast<double>(ring.replicas / exchange_hook::polls_per_period) : 2.0;
  workers = run.decide_sharing(workers, around);
  loop_options& loop = run.loop();
  loop.sharing = access_kind::buffered;
  loop.exchange.replicas = static_cast<std::uint32_t>(ring.replicas);
  loop.exchange.rule = ring.rule;
  loop.exchange.released = engine.released;
  if (engine.released.rows > 0) loop.exchange.rows = loop.exchange.least = engine.released.rows;
  if (around.others) exchange_before_l2_shows(loop.exchange, run.step(), loop.l2);
  run.agree_on_exchange();
  return workers;
}

}  // namespace hogwild
