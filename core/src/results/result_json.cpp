// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/result_json.hpp>

#include <nlohmann/json.hpp>

namespace hogwild::detail {

void put_usage(nlohmann::ordered_json& into, const train_result& run) {
  using json = nlohmann::ordered_json;  // keys stay in the order of writing
  if (const auto& ring = run.ring) {
    into["ring"].update(json{{"exchanges", ring->exchanges},
                             {"bytes", ring->bytes},
                             {"held_seconds", ring->held_seconds},
                             {"waits", ring->waits},
                             {"taken_over", ring->taken_over},
                             {"nodes", ring->nodes},
                             {"memory", to_string(ring->memory)}});
  }
  if (const auto& link = run.link) {
    into["link"] = {{"ranks", link->ranks},
                    {"exchanges", link->exchanges},
                    {"bytes", link->bytes},
                    {"held_seconds", link->held_seconds},
                    {"waited_seconds", link->waited_seconds}};
  }
  if (const auto& meetings = run.meetings) {
    into["meetings"] = {{"ranks", meetings->ranks},
                        {"dense", meetings->dense},
                        {"sparse", meetings->sparse},
                        {"bytes", meetings->bytes},
                        {"seconds", meetings->seconds}};
  }
  for (const device_report& d : run.devices)
    into["devices"].push_back({{"device", d.device},
                               {"name", d.name},
                               {"memory", d.memory},
                               {"storage", d.storage},
                               {"rows_in_flight", d.rows_in_flight},
                               {"block_bytes", d.block_bytes},
                               {"rows", d.rows},
                               {"measured_rows", d.measured_rows},
                               {"exchange", d.exchange}});
  into["peak_rss_bytes"] = run.peak_rss_bytes;
  if (run.disk_wait_seconds > 0.0) into["disk_wait_seconds"] = run.disk_wait_seconds;
}

}  // namespace hogwild::detail
