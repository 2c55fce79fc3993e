// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace hogwild::python {

namespace nb = nanobind;

/// Notes become warnings of the category hogwild.Note, at the first caller outside of the package. With the GIL.
void warn_of(const std::vector<std::string>& notes);
/// A word of any bytes as str: bytes that are not UTF-8 become surrogates, as in file names. With the GIL.
nb::object str_of_bytes(const std::string& word);
nb::list list_of_bytes(const std::vector<std::string>& words);

// The parts of the module, one for each source.
void bind_errors(nb::module_& m);
void bind_pair_features(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_saved(nb::module_& m);
void bind_exports(nb::module_& m);
void bind_own_loss(nb::module_& m);
void bind_own_net(nb::module_& m);
void bind_shared(nb::module_& m);
void bind_run(nb::module_& m);
void bind_stream(nb::module_& m);
void bind_scoring(nb::module_& m);
void bind_triples(nb::module_& m);
void bind_live(nb::module_& m);
void bind_search(nb::module_& m);

}  // namespace hogwild::python
