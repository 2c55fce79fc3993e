// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/detail/memory/segment.hpp>

#include "bindings.hpp"

namespace hogwild::python {
namespace {

/// A hash of the layout of a segment: a process that attaches must describe it by the same words.
std::uint64_t hash_of(std::string_view layout) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : layout) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Memory after the header of a named segment. Every process that has it may read and write there, without protection.
class python_segment {
 public:
  static python_segment create(std::size_t bytes, const std::string& layout, const std::string& model,
                               const std::string& label, const std::string& name) {
    const nb::gil_scoped_release release;
    return python_segment(segment::create(name.empty() ? unique_segment_name() : name, segment_header_bytes + bytes,
                                          {.layout_hash = hash_of(layout), .model_name = model, .label = label}));
  }
  static python_segment attach(const std::string& name, const std::string& layout, const std::string& model) {
    const nb::gil_scoped_release release;  // it may wait for a segment that is being made
    return python_segment(segment::attach(name, {.layout_hash = hash_of(layout), .model_name = model}));
  }

  /// The bytes; they keep `self`, this object, alive.
  static nb::object memory(const nb::handle self) {
    const segment& shared = nb::cast<python_segment&>(self).segment_;
    const std::size_t bytes = shared.bytes() - segment_header_bytes;
    auto* const data = reinterpret_cast<std::uint8_t*>(shared.data() + segment_header_bytes);
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(data, 1, &bytes, self));
  }
  const std::string& name() const { return segment_.name(); }
  bool creator_lives() const { return segment_.creator_lives(); }
  void unlink() { segment_.unlink(); }

 private:
  explicit python_segment(segment s) : segment_(std::move(s)) {}
  segment segment_;
};

}  // namespace

void bind_shared(nb::module_& m) {
  nb::class_<python_segment>(m, "Segment")
      .def_static("create", &python_segment::create, nb::arg("bytes"), nb::arg("layout"), nb::arg("model"),
                  nb::arg("label"), nb::arg("name"))
      .def_static("attach", &python_segment::attach, nb::arg("name"), nb::arg("layout"), nb::arg("model"))
      .def("memory", [](const nb::handle& self) { return python_segment::memory(self); })
      .def_prop_ro("name", &python_segment::name)
      .def_prop_ro("creator_lives", &python_segment::creator_lives)
      .def("unlink", &python_segment::unlink);
}

}  // namespace hogwild::python
