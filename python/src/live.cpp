// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/live_parameters.hpp>

#include "arrays.hpp"
#include "bindings.hpp"

namespace hogwild::python {
namespace {

/// A reader that several Python threads may use, one after the other.
class python_live {
 public:
  explicit python_live(const std::string& name) : reader_(attached(name)) {}
  python_live(const python_live&) = delete;
  python_live& operator=(const python_live&) = delete;

  bool read(double seconds) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return reader_.read(std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e6) * 1e9)));
  }
  template <class Ask>
  auto ask(const Ask& question) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return question(reader_);
  }

 private:
  static live_parameters attached(const std::string& name) {
    const nb::gil_scoped_release release;  // it may wait for a run that is about to begin
    return live_parameters::attach(name);
  }
  std::mutex mutex_;
  live_parameters reader_;
};

nb::dict age_of(python_live& live) {
  const live_age age = live.ask([](const live_parameters& reader) { return reader.age(); });
  nb::dict told;
  told["epoch"] = age.epoch;
  told["round"] = age.round;
  told["rows_before"] = age.rows_before;
  told["rows_after"] = age.rows_after;
  told["seconds"] = age.seconds;
  return told;
}

}  // namespace

void bind_live(nb::module_& m) {
  nb::class_<python_live>(m, "Live")
      .def(nb::init<const std::string&>(), nb::arg("name"))
      .def("read", &python_live::read, nb::arg("seconds"))
      .def("values",
           [](python_live& live) {
             return to_numpy(live.ask([](const live_parameters& reader) {
               return std::vector<float>(reader.values().begin(), reader.values().end());
             }));
           })
      .def("columns",
           [](python_live& live) {
             return to_numpy(live.ask([](const live_parameters& reader) {
               return std::vector<std::uint32_t>(reader.columns().begin(), reader.columns().end());
             }));
           })
      .def("age", age_of)
      .def("state",
           [](python_live& live) {
             return live.ask([](const live_parameters& reader) { return std::string(to_string(reader.state())); });
           })
      .def(
          "model_name",
          [](python_live& live) { return live.ask([](const live_parameters& reader) { return reader.model_name(); }); })
      .def("model",
           [](python_live& live) { return live.ask([](const live_parameters& reader) { return reader.model(); }); });
}

}  // namespace hogwild::python
