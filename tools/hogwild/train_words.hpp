// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/options/option_facts.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>

#include "command_line.hpp"
#include "train_request.hpp"

// The options of `hogwild train` as tables: those of every program stand in option_list.hpp, those that only the
// command has in train_words.cpp. Help, ranges, what ranks compare and what a search may try go by these.

namespace hogwild::cli {

/// Declares the options of one heading.
void declare_group(command_line& line, train_request& r, std::string_view group);
/// Declares these options alone, for a command that has not all of them.
void declare_words(command_line& line, train_request& r, const std::vector<std::string_view>& words);
/// Says which options need or exclude another one, once all are declared.
void declare_needs(command_line& line);

/// The facts of a word of the command line. A word that is in no table counts as one that ranks share, and in which
/// trials may differ.
const detail::option_facts& facts_of(std::string_view word);
/// The words that are in a table and play this part in a search.
std::vector<std::string_view> words_of_searches(detail::in_a_search part);
/// All words that are in a table.
std::vector<std::string_view> words_with_facts();

/// The part of a parsed command line that ranks compare: the options that were given, numbers by their value.
std::vector<named_value> compared_words(const command_line& line);

/// Sets what an option stands for from its text; returns an error message, or an empty text.
using text_setter = std::string (*)(train_request&, const std::string&);

/// The setter of an option whose text says more than the type of one variable does; null: there is none.
text_setter setter_for(std::string_view word);

}  // namespace hogwild::cli
