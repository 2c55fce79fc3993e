// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/machine.hpp>

// Every result records what was measured and where.
int main(int argc, char** argv) {
  using hogwild::build_info;
  const hogwild::machine_facts machine = hogwild::this_machine();
  benchmark::AddCustomContext("hogwild_version", std::string(build_info.version));
  benchmark::AddCustomContext("hogwild_commit", std::string(build_info.commit));
  benchmark::AddCustomContext("hogwild_build_type", std::string(build_info.build_type));
  benchmark::AddCustomContext("hogwild_compiler", std::string(build_info.compiler));
  benchmark::AddCustomContext("machine_cpu_model", machine.cpu_model);
  benchmark::AddCustomContext("machine_usable_cpus", std::to_string(machine.usable_cpus));
  benchmark::AddCustomContext("machine_memory_bytes", std::to_string(machine.memory_bytes));
  benchmark::AddCustomContext("machine_kernel", machine.kernel);
  benchmark::AddCustomContext("machine_governor", machine.governor.value_or("unknown"));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
