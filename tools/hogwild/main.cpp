// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/command/command_main.hpp>
#include <interrupt/interrupt.hpp>

[[gnu::used, gnu::section(".preinit_array")]] static void (*const before_libraries)() = hogwild::note_ignored_signals;

int main(int argc, char** argv) {
  return hogwild::command_main(argc, argv);
}
