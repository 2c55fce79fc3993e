// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The CUDA runtime's functions without a device: programs that link this call none of the real ones. Memory is the
// host's and begins with numbers that are none. What is queued is done when somebody waits for it, not before, so that
// memory that changes too early is noticed.

namespace hogwild::test {

/// A machine with CUDA devices, and what goes wrong there.
struct fake_machine {
  int devices = 1;
  int driver = 13000;                               ///< the newest CUDA that it knows, as CUDA counts; 0: there is none
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< of each device
  bool reaches = true;                              ///< whether devices reach each other's memory
  bool adds_there = true;                           ///< and by additions of which none is lost
  std::size_t most_ways = 8;                        ///< from a device to others that may be open
  bool has_code = true;                             ///< whether the program has code for its architecture
  std::size_t failing_call = 0;                     ///< of those that can fail, counted from 1; 0: none
  int code = 719;                                   ///< that it returns: a cudaError_t; cudaErrorLaunchFailure
  bool for_good = false;  ///< all calls after that one fail, too, as after a fault in a kernel
  /// What a launch is to do, from the addresses of the kernel's arguments, which are gone when it is done. Empty:
  /// nothing.
  std::function<std::function<void()>(void** arguments)> kernel{};
  /// The same of kernels by which replicas meet.
  std::function<std::function<void()>(void** arguments)> meeting{};
};

/// The machine from here on. Nothing of the one before may be in use.
void set_fake_machine(const fake_machine& machine);

/// The program itself opens the way from a device to another one's memory.
void open_fake_way(int from, int to);

/// The name of the call that failed because it was to fail; empty where none has.
std::string failed_fake_call();

/// The names of those that could have failed since the machine was set.
std::vector<std::string_view> fake_calls();

/// What is allocated on all devices and not yet given back, pieces of the host's memory that are registered, streams,
/// events, and ways from one device to another.
struct fake_leftovers {
  std::size_t blocks = 0, registered = 0, streams = 0, events = 0, ways = 0;
  bool operator==(const fake_leftovers&) const = default;
};
fake_leftovers left_on_fake_devices();

}  // namespace hogwild::test
