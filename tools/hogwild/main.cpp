// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/command/command_main.hpp>

int main(int argc, char** argv) {
  return hogwild::command_main(argc, argv);
}
