// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/detail/words/window_model.hpp>
#include <hogwild/detail/words/window_space.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// The common part of skip_gram and cbow as workspace models. Each of them defines for a window
///
///   window_rows inputs(window_space&) const;                      the rows that are scored against the outputs
///   void differentiate(window_space&, window_rows inputs) const;  adds to the partials of the contexts, and
///                                                                 writes the partials of the outputs
///
/// Both are called once the window's rows have been read; differentiate() also needs the slopes of its scores.
template <class Model>
struct window_formula : window_model {
  using workspace = window_space;

  window_space make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
    return {*this, data, set, batch};
  }
  void take(window_space& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    s.take(k, z, random);
  }

  void gradient(const auto& w, window_space& s, std::size_t n, const auto& emit) const {
    for (std::size_t k = 0; k < n; ++k) {
      s.walk(w, k, emit, [&] {
        const window_rows inputs = self().inputs(s);
        s.score(inputs);
        s.derive(inputs.size(), n);
        self().differentiate(s, inputs);
      });
    }
  }

  void score(const auto& w, window_space& s, std::size_t n, std::span<row_score> scores) const {
    for (std::size_t k = 0; k < n; ++k) {
      scores[k] = {};
      s.look(w, k, [&] {
        const window_rows inputs = self().inputs(s);
        s.score(inputs);
        scores[k].loss += s.loss(inputs.size());
      });
    }
  }

 private:
  const Model& self() const { return static_cast<const Model&>(*this); }
};

}  // namespace hogwild
