// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/task/evaluate.hpp>

namespace hogwild {

/// Calls put(row, score) for each row, in parallel and in any order; labels are ignored. make(batch) makes a thread's
/// scorer of `batch` rows at once, as in evaluate_examples().
template <class Make, class Put>
void score_rows(const sparse_view& rows, thread_team& threads, std::size_t batch, const Make& make, const Put& put) {
  const auto score_chunks = [&] {
    return [&, cursor = row_cursor(rows), score = make(batch), said = std::vector<row_score>(batch)](
               const chunk& part, auto, auto) mutable {
      for (std::size_t first = part.first; first < part.last; first += batch) {
        const std::span<row_score> scores = std::span(said).first(std::min(batch, part.last - first));
        for (std::size_t k = 0; k < scores.size(); ++k) {
          sparse_row<float> z = cursor.row(first + k);
          z.label = 0.0f;  // the row's label need not be one of the model's
          score(k, &z, first + k, std::span<row_score>());
        }
        score(0, nullptr, 0, scores);
        for (std::size_t k = 0; k < scores.size(); ++k) put(first + k, scores[k].score);
      }
      return 0.0;
    };
  };
  const chunk_plan plan(rows.rows(), (1024 + batch - 1) / batch * batch);
  evaluate_chunks(rows, {}, threads, plan, false, score_chunks);
}

}  // namespace hogwild
