// SPDX-License-Identifier: Apache-2.0
// A model with a workspace whose rows may have lists of labels. CMakeLists.txt replaces one of its members by one that
// conforms() accepts, and by one that it refuses.
#include <hogwild/model.hpp>

#ifndef SCORE
#define SCORE \
  void score(const auto&, workspace&, std::size_t, std::span<hogwild::row_score>, std::span<float> = {}) const {}
#endif
#ifndef DECISION
#define DECISION                                 \
  float decision(std::span<const float>) const { \
    return 0;                                    \
  }
#endif

struct listed {
  using scalar_type = float;
  struct workspace {};
  static constexpr auto labels = hogwild::label_kind::classes;
  static constexpr bool takes_lists = true;
  std::size_t dim() const { return 1; }
  workspace make_workspace(const hogwild::sparse_view&, hogwild::isa, std::size_t) const { return {}; }
  void take(workspace&, std::size_t, const hogwild::sparse_row<float>&, hogwild::counter_random) const {}
  void gradient(const auto&, workspace&, std::size_t, const auto&) const {}
  SCORE DECISION
};
static_assert(hogwild::conforms<listed>());
