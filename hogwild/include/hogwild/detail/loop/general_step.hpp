// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/loop/gathered_gradients.hpp>
#include <hogwild/detail/loop/row_changes.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild {

/// Any model that emits the partials of one row, which row_changes applies.
template <class M, class Sharing, class Optimizer>
class general_step : public Sharing {
 public:
  using scalar = typename M::scalar_type;

  general_step(const Sharing& sharing, const M& m, const step_context& context)
      : Sharing(sharing),
        model_(m),
        changes_(groups_of(m), context, arrays_on<Optimizer>(sharing, context.options),
                 gathered_sharing_of<Sharing>(*this), projection_of<scalar>(m)) {}

  void begin(const round_plan& round, double position) {
    changes_.begin(round, position, arrays_on<Optimizer, Sharing>(*this, changes_.context().options));
    pass_ = round.pass;
  }
  typename M::example_type example(row_cursor& rows, std::size_t r) {
    if constexpr (draws_numbers<M>) random_ = counter_random(changes_.context().options.seed ^ mix_bits(pass_), r);
    return labelled_row(rows, r, changes_.context().labels);
  }

  template <class Reader, class Note>
  bool train(const Reader& w, const typename M::example_type& z, const Note& note) {
    return changes_.train(z, note, [&](const auto& emit) { gradient_of(model_, w, z, random_, emit); });
  }

 private:
  const M& model_;
  row_changes<typename Sharing::view_type, Optimizer> changes_;
  std::uint64_t pass_ = 0;
  counter_random random_{0, 0};  ///< of the current example, for models that draw numbers
};

}  // namespace hogwild
