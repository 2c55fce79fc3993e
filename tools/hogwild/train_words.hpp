// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <hogwild/detail/run/option_facts.hpp>

#include "command_line.hpp"
#include "train_request.hpp"

// The options of `hogwild train` as tables: those of every program stand in option_list.hpp, those that only the
// command has in train_words.cpp. Help, checks of a value, what ranks compare and what a search may try go by these.

namespace hogwild::cli {

/// Declares the options of one heading.
void declare_group(command_line& line, train_request& r, std::string_view group);
/// Declares these options alone, for a command that has not all of them.
void declare_words(command_line& line, train_request& r, const std::vector<std::string_view>& words);
/// Says which of the options that were declared need or exclude another one.
void declare_needs(command_line& line);

/// What is known of a word of the command line; of a word that is in no table, that ranks share it and trials may
/// differ in it.
const detail::option_facts& facts_of(std::string_view word);
/// The words that are in a table and play this part in a search.
std::vector<std::string_view> words_of_searches(detail::in_a_search part);

}  // namespace hogwild::cli
