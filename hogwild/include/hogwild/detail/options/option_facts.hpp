// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace hogwild::detail {

/// How ranks that train together have to agree on an option.
enum class between_ranks : std::uint8_t {
  same,      ///< with the same value on all
  as_given,  ///< on all or on none; each rank has its own value, for example the name of a file
  own        ///< each rank decides for itself
};

/// Whether a run that goes on from a checkpoint must have the value with which the checkpoint was written.
enum class when_resumed : std::uint8_t {
  free,  ///< it may have another
  same   ///< parameters, the optimiser's state or the order of rows depend on it
};

/// How a search for the best options treats an option.
enum class in_a_search : std::uint8_t {
  tried,       ///< a space may name it, so that each trial has a value of its own
  shared,      ///< the same for all trials
  not_trials,  ///< belongs to the search: trials do not have it
  refused      ///< a search refuses it
};

/// The numbers that an option takes; all are finite.
struct number_range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_least = true, has_most = true;  ///< whether the ends belong to it

  constexpr bool has(double x) const {
    const bool is_finite = x - x == 0.0;
    return is_finite && (has_least ? x >= least : x > least) && (has_most ? x <= most : x < most);
  }
  /// The range in words, to follow "a " or "no ": "number above 0", "whole number of at least 1".
  std::string text(bool whole) const;
};

constexpr number_range above(double least) {
  return {.least = least, .has_least = false};
}
constexpr number_range at_least(double least) {
  return {.least = least};
}
constexpr number_range from(double least, double most) {
  return {.least = least, .most = most};
}
/// At least 0, and below 1.
inline constexpr number_range part_below_1{.least = 0.0, .most = 1.0, .has_most = false};
/// Above 0, and at most 1.
inline constexpr number_range part_above_0{.least = 0.0, .most = 1.0, .has_least = false};

/// The names of an option, and its description.
struct option_text {
  std::string_view name{};   ///< in messages of the library, and where ranks compare it
  std::string_view word{};   ///< on the command line, with its dashes; empty: the option has no word of its own
  std::string_view group{};  ///< the heading under which help shows it
  std::string_view help{};
};

/// Details of an option for the command, ranks and searches, where they differ from the usual.
struct option_details {
  std::string_view placeholder{};  ///< for its value in the help; empty: by its type
  std::string_view otherwise{};    ///< the default that help shows; empty: the value that the member has
  number_range range{};            ///< of a number
  between_ranks ranks = between_ranks::same;
  in_a_search search = in_a_search::tried;
  when_resumed resume = when_resumed::free;
  std::string_view recorded{};           ///< the key of its value in a run record; empty: it is not recorded
  std::string_view needs{}, excludes{};  ///< words of other options: one that it needs, and one that it excludes
  bool zero_is_none = false;             ///< a 0 on the command line leaves the option out
  bool turns_off = false;                ///< a flag that --no-... switches off
  bool in_lanes = false;  ///< whether trials side by side honour it; a trial with one that they do not is trained apart
  /// The option in the words of a kind of run that does not take it; empty: it takes it.
  std::string_view in_streams{}, in_several_models{};
};

/// Everything about an option except its member; messages, help, checks, ranks and searches use it.
struct option_facts : option_text, option_details {
  constexpr option_facts(const option_text& text = {}, const option_details& details = {})
      : option_text(text), option_details(details) {}
};

}  // namespace hogwild::detail
