// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/options/named_values.hpp>

namespace hogwild {

class agreement;

namespace detail {

/// Throws rank_failure on all ranks, with the same message, unless all of them have the list of rank 0. The message
/// names the first entry in which one differs, with both values. All ranks call it; does nothing in a process that is
/// alone.
void require_same_on_ranks(std::span<const named_value> mine, const agreement& ranks);

/// The build of this library: version, commit, type, compiler, sanitizer.
named_value compared_build();
/// Adds the name of a model, and the numbers that it is made with.
void add_model(std::vector<named_value>& all, std::string_view model,
               std::span<const std::pair<std::string, double>> numbers, std::span<const double> hyperparameters);
/// Adds these numbers alone.
void add_numbers_of_model(std::vector<named_value>& all, std::span<const std::pair<std::string, double>> numbers,
                          std::span<const double> hyperparameters);
/// The scaling of the rows' columns, which must be the same on all ranks: the rule, and a checksum of the divisors.
named_value compared_scale(const sparse_view& rows);
/// Describes rows by their sizes and a checksum of everything that affects training: labels, entries, weights, offsets.
/// Entries of rows that stream, because they exceed memory, are left out.
std::string text_of_rows(const sparse_view& rows);

/// Throws as above if ranks have different labels in the rows of one source, of which all have equally many. The
/// message names a row, by its number in the source if the view knows it, and both labels.
void require_same_labels(const sparse_view& rows, const std::string& source, const agreement& ranks);

/// Throws as above unless all ranks begin with the same parameters, and the same state of the optimiser. Each rank
/// makes them itself: from the seed, a warm start or a checkpoint.
void require_same_beginning(std::span<const std::byte> state, const agreement& ranks);

}  // namespace detail
}  // namespace hogwild
