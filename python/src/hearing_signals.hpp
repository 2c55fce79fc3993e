// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>
#include <future>
#include <stop_token>

namespace hogwild::python {

/// Calls work() on a thread of its own, without the interpreter, and handles signals meanwhile, every 20 ms. If a
/// handler raises (mostly KeyboardInterrupt), asks for a stop, and throws the exception once work() has returned; else
/// throws what work() throws.
template <class Work>
void hearing_signals(std::stop_source& stop, const Work& work) {
  std::future<void> done = std::async(std::launch::async, work);
  const auto has_ended = [&] {
    const nanobind::gil_scoped_release release;
    return done.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
  };
  std::exception_ptr raised;
  while (!has_ended()) {
    if (PyErr_CheckSignals() == 0) continue;
    raised = std::make_exception_ptr(nanobind::python_error());
    stop.request_stop();
  }
  if (raised) std::rethrow_exception(raised);
  done.get();
}

}  // namespace hogwild::python
