// SPDX-License-Identifier: Apache-2.0
// A library that takes SIGHUP for itself when it is loaded, as UCX does, which comes along with some MPIs.
#include <csignal>

[[gnu::constructor]] static void take_hangup() {
  std::signal(SIGHUP, [](int) {});
}
