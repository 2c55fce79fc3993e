// SPDX-License-Identifier: Apache-2.0
// The command on a machine with the load in HOGWILD_TOLD_CPUS: "IDLE OWN WITHHELD", in tenths of the time of its CPUs;
// "unknown": the system does not say.
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>

#include <hogwild/detail/command/command_main.hpp>
#include <hogwild/detail/platform/cpu_load.hpp>

int main(int argc, char** argv) {
  const char* const given = std::getenv("HOGWILD_TOLD_CPUS");
  const std::string told = given == nullptr ? "unknown" : given;
  static int read = 0;
  hogwild::set_cpu_account_reader([told] {
    std::istringstream words(told);
    int idle = 0, own = 0, withheld = 0;
    if (!(words >> idle >> own >> withheld)) return hogwild::cpu_account{};
    const std::chrono::seconds tenth(read++);
    return hogwild::cpu_account{.machine = hogwild::cpu_account::of_machine{.all = 10 * tenth, .idle = idle * tenth},
                                .own = own * tenth,
                                .withheld = withheld * tenth};
  });
  return hogwild::command_main(argc, argv);
}
