// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

NB_MODULE(_engine, m) {
  namespace python = hogwild::python;
  m.doc() = "The engine as the package hogwild calls it: not for programs, and other in any version.";
  m.attr("version") = HOGWILD_VERSION;
  python::bind_errors(m);
  python::bind_rows(m);
  python::bind_pair_features(m);
  python::bind_saved(m);
  python::bind_exports(m);
  python::bind_own_loss(m);
  python::bind_own_net(m);
  python::bind_shared(m);
  python::bind_run(m);
  python::bind_stream(m);
  python::bind_scoring(m);
  python::bind_triples(m);
  python::bind_live(m);
  python::bind_search(m);
}
