// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a model may be made with, by name and as text: as a command line, or a file of settings, has it.

namespace hogwild {

/// An option that a model has.
struct model_option {
  std::string name;         ///< "huber-delta", as in --huber-delta
  std::string placeholder;  ///< of its value in a help; empty for a flag, which is "true" or "false"
  std::string otherwise;    ///< what holds where it is not given
  std::string help;
  std::function<std::string(const std::string&)> fault;  ///< what is wrong with a text; empty where nothing is

  bool is_flag() const { return placeholder.empty(); }
};

model_option number_option(std::string name, double otherwise, std::string help);
model_option count_option(std::string name, std::size_t otherwise, std::string help);
/// One of a few words; the first is what holds where none is given.
model_option word_option(std::string name, std::vector<std::string> words, std::string help);
model_option flag_option(std::string name, std::string help);

/// The texts that were given for options, by their names.
class model_options {
 public:
  model_options() = default;
  model_options(std::initializer_list<std::pair<const std::string, std::string>> given) : given_(given) {}

  void set(const std::string& name, std::string text) { given_.insert_or_assign(name, std::move(text)); }
  bool given(std::string_view name) const { return given_.contains(name); }
  const auto& all() const { return given_; }

  /// The values of what was given, or `otherwise`. The texts are those that the option's fault() lets pass.
  double number(std::string_view name, double otherwise) const;
  std::size_t count(std::string_view name, std::size_t otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;

 private:
  std::map<std::string, std::string, std::less<>> given_;
};

/// The whole text as whole numbers between commas, all above 0; none where it is something else.
std::vector<std::size_t> counts_in(std::string_view text);

}  // namespace hogwild
