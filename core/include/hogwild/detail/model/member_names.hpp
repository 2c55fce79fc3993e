// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

// Tests whether a class has a member of some name, of whatever kind. With this, conforms.hpp can report a member of the
// wrong form; a concept would take the model for one without the member.

namespace hogwild::detail {

// A name that both bases have is ambiguous, even if it is a template, a type or private. A final class cannot be a
// base, so its templates are overlooked.
#define HOGWILD_MEMBER(name)                                             \
  struct other_##name {                                                  \
    int name;                                                            \
  };                                                                     \
  template <class M>                                                     \
  struct both_##name : M, other_##name {};                               \
  template <class M>                                                     \
  concept only_other_has_##name = requires {                             \
    &both_##name<M>::name;                                               \
  };                                                                     \
  template <class M>                                                     \
  concept plain_##name = requires {                                      \
    &M::name;                                                            \
  }                                                                      \
  || requires {                                                          \
    typename M::name;                                                    \
  };                                                                     \
  template <class M>                                                     \
  constexpr bool has_##name() {                                          \
    if constexpr (std::is_final_v<M>) return plain_##name<M>;            \
    if constexpr (!std::is_final_v<M>) return !only_other_has_##name<M>; \
  }
HOGWILD_MEMBER(dim)
HOGWILD_MEMBER(gradient)
HOGWILD_MEMBER(scalar_type)
HOGWILD_MEMBER(example_type)
HOGWILD_MEMBER(workspace)
HOGWILD_MEMBER(make_workspace)
HOGWILD_MEMBER(name)
HOGWILD_MEMBER(labels)
HOGWILD_MEMBER(linear)
HOGWILD_MEMBER(takes_lists)
HOGWILD_MEMBER(takes_weights)
HOGWILD_MEMBER(takes_offsets)
HOGWILD_MEMBER(defaults)
HOGWILD_MEMBER(hyperparameters)
HOGWILD_MEMBER(groups)
HOGWILD_MEMBER(init)
HOGWILD_MEMBER(predict)
HOGWILD_MEMBER(prediction)
HOGWILD_MEMBER(smoothness)
HOGWILD_MEMBER(probability)
HOGWILD_MEMBER(takes)
HOGWILD_MEMBER(measured_rows)
HOGWILD_MEMBER(sharing)
HOGWILD_MEMBER(scored)
HOGWILD_MEMBER(cuts)
HOGWILD_MEMBER(repeats)
HOGWILD_MEMBER(emits_sums)
HOGWILD_MEMBER(require_data)
HOGWILD_MEMBER(project)
#undef HOGWILD_MEMBER

}  // namespace hogwild::detail
