// SPDX-License-Identifier: Apache-2.0
// A model with a workspace. CMakeLists.txt replaces one member by a form that conforms() accepts, and by one that it
// refuses.
#include <hogwild/model.hpp>

#ifndef SPACE
#define SPACE \
  struct workspace {}
#endif
#ifndef MAKE
#define MAKE                                                                               \
  workspace make_workspace(const hogwild::sparse_view&, hogwild::isa, std::size_t) const { \
    return {};                                                                             \
  }
#endif
#ifndef TAKE
#define TAKE \
  void take(workspace&, std::size_t, const row&, hogwild::counter_random) const {}
#endif
#ifndef GRADIENT
#define GRADIENT \
  void gradient(const auto&, workspace&, std::size_t, const auto&) const {}
#endif
#ifndef SCORE
#define SCORE \
  void score(const auto&, workspace&, std::size_t, std::span<hogwild::row_score>) const {}
#endif
#ifndef OPTION
#define OPTION
#endif

using row = hogwild::sparse_row<float>;

struct tried {
  using scalar_type = float;
  SPACE;
  std::size_t dim() const { return 1; }
  MAKE TAKE GRADIENT SCORE OPTION
};
static_assert(hogwild::conforms<tried>());
