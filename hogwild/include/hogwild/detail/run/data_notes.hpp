// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

class agreement;

/// Columns whose values are so much larger than the others' that they alone limit the step, and the others hardly
/// learn.
struct wild_columns {
  std::size_t column = 0;   ///< the one with the largest values, by its position
  std::size_t columns = 0;  ///< how many are wild
  double size = 0.0;        ///< root mean square of its entries
  double others = 0.0;      ///< the same for the entries of all columns that are not wild
};

/// The wild columns of the first rows (at most 2,000), beside others that have at least a quarter of the entries: even
/// the least wild of them curves the mean of squares of x.w at least ten thousand times as much as all others together,
/// or has half as many entries as another and thirty times as large ones. Without `one_step` each parameter has a step
/// of its own, and the entries must be a thousand times as large. Over the rows of all ranks, which all call it.
std::optional<wild_columns> find_wild_columns(const sparse_view& data, const agreement& ranks, bool one_step = true);

/// Notes on the rows before a model is trained on them, a sentence each: no row has an entry; columns are wild. All
/// ranks call it, and get the same notes.
std::vector<std::string> notes_on_data(const training_task& task, const std::string& source, const agreement& ranks);

}  // namespace hogwild
