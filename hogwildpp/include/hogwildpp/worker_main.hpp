// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include <hogwild/worker_main.hpp>

namespace hogwild {

/// A factory whose jobs train one replica of a ring where the segment's setup asks for that, and plain ones elsewhere.
job_factory on_a_ring(job_factory make);

/// worker_main for programs that train with ring_engine, or with process_engine.
template <model... Models>
std::optional<int> ring_worker_main(int argc, const char* const* argv) {
  return work_where_placed(argc, argv, [](std::string_view name) { return on_a_ring(factory_of<Models...>(name)); });
}

}  // namespace hogwild
