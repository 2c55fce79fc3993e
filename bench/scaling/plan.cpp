// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <variant>

#include <hogwild/detail/run/combinations.hpp>
#include <hogwild/detail/run/names.hpp>
#include <hogwild/registry.hpp>
#include <hogwildpp/detail/ring_refusals.hpp>

namespace hogwild::bench {
namespace {

bool is_margin(const std::string& model) {
  return std::visit([]<class M>(const M&) { return margin_model<M>; }, make_model(model));
}

/// One engine under one way of sharing, over all numbers of workers.
void add_workers(std::vector<planned_point>& points, const point& what, const bench_options& options,
                 std::size_t usable_cpus) {
  for (const std::size_t workers : options.workers) {
    if (what.engine == engine_kind::ring && workers == 1) continue;  // one replica is no ring
    planned_point p{what};
    p.what.workers = workers;
    p.skip = why_refused({.sharing = what.sharing,
                          .update = what.update,
                          .margin = is_margin(what.model),
                          .reproducible = what.reproducible});
    if (what.engine == engine_kind::ring) p.skip = why_refused_on_ring({.update = what.update});
    if (p.skip.empty() && workers > usable_cpus && !options.oversubscribe) {
      p.skip = std::to_string(workers) + " workers on " + std::to_string(usable_cpus) +
               " CPUs would measure the system's scheduler; --oversubscribe measures it all the same";
    }
    points.push_back(p);
  }
}

}  // namespace

std::string way_of(const point& p) {
  if (p.engine == engine_kind::ring) return std::string(hogwild::name_of(p.exchange));
  return p.reproducible ? "reproducible" : std::string(hogwild::name_of(p.sharing));
}

std::string words_of(const point& p) {
  return std::string(name_of(p.engine)) + " " + std::to_string(p.workers) + " " +
         std::string(hogwild::name_of(p.update)) + " " + way_of(p);
}

std::vector<planned_point> plan_points(const bench_options& options, std::size_t usable_cpus) {
  std::vector<planned_point> points;
  for (const std::string& model : options.models) {
    for (const update_kind update : options.updates) {
      for (const engine_kind engine : options.engines) {
        if (engine == engine_kind::serial) {
          points.push_back({{model, engine, 1, update}});
          continue;
        }
        if (engine == engine_kind::ring) {
          for (const ring_rule rule : options.exchange)
            add_workers(points, {.model = model, .engine = engine, .update = update, .exchange = rule}, options,
                        usable_cpus);
          continue;
        }
        for (const sharing_kind sharing : options.sharing) {
          add_workers(points, {model, engine, 1, update, sharing}, options, usable_cpus);
        }
        if (options.reproducible) {
          add_workers(points, {model, engine, 1, update, sharing_kind::automatic, true}, options, usable_cpus);
        }
      }
    }
  }
  return points;
}

}  // namespace hogwild::bench
