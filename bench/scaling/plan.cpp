// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

namespace hogwild::bench {

std::vector<planned_point> plan_points(const bench_options& options, std::size_t usable_cpus) {
  std::vector<planned_point> points;
  for (const std::string& model : options.models) {
    for (const update_kind update : options.updates) {
      for (const engine_kind engine : options.engines) {
        if (engine == engine_kind::serial) {
          points.push_back({{model, engine, 1, update}});
          continue;
        }
        for (const std::size_t workers : options.workers) {
          planned_point p{{model, engine, workers, update}};
          if (workers > usable_cpus && !options.oversubscribe) {
            p.skip = std::to_string(workers) + " workers on " + std::to_string(usable_cpus) +
                     " CPUs would measure the system's scheduler; --oversubscribe measures it all the same";
          }
          points.push_back(p);
        }
      }
    }
  }
  return points;
}

}  // namespace hogwild::bench
