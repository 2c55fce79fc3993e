// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

// Whether a class has a member of some name, whatever it is: of a model that has one of the wrong shape conforms.hpp
// tells so, where a concept would take it for a model without it.

namespace hogwild::detail {

// A name that both bases have is ambiguous, even where it is a template, a type or private. Nothing can be derived of a
// final class, whose templates are overlooked.
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
