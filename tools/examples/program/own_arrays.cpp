// SPDX-License-Identifier: Apache-2.0
// Makes rows from the program's own arrays, of any types; they are ranked and shuffled like the rows of a file.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/rows.hpp>

int main() {
  // Two pieces of a table in double precision, with 64-bit indices: label = 2 * column 10 - column 70.
  const std::vector<std::int64_t> start{0, 2, 3, 5}, index{10, 70, 10, 70, 10};
  const std::vector<double> value{1.0, 2.0, 3.0, 4.0, 0.5}, label{0.0, 6.0, -3.0};
  const hogwild::csr_arrays piece{.row_start = start, .index = index, .value = value, .label = label};
  const hogwild::sparse_dataset data = hogwild::rows_from(std::vector{piece, piece});

  const auto run = hogwild::train(hogwild::least_squares{}, data, hogwild::serial_engine{},
                                  {.epochs = 300, .step = {.initial = 0.05}, .l2 = 0.0});
  for (std::size_t j = 0; j < data.features(); ++j)
    std::printf("column %u has weight %.3f\n", data.original(static_cast<std::uint32_t>(j)), run.parameters[j]);
}
