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

// Options of models, by name and as text, as on a command line or in a file of settings.

namespace hogwild {

/// An option of a model.
struct model_option {
  std::string name;         ///< "huber-delta", as in --huber-delta
  std::string placeholder;  ///< for its value in a help text; empty for a flag, which is "true" or "false"
  std::string otherwise;    ///< the default in words
  std::string help;
  std::function<std::string(const std::string&)> fault;  ///< says what is wrong with a text; empty if nothing is

  bool is_flag() const { return placeholder.empty(); }
};

model_option number_option(std::string name, double otherwise, std::string help);
model_option count_option(std::string name, std::size_t otherwise, std::string help);
/// An option whose value is one of a few words; the first is the default.
model_option word_option(std::string name, std::vector<std::string> words, std::string help);
model_option flag_option(std::string name, std::string help);

/// The texts given for options, by the options' names.
class model_options {
 public:
  model_options() = default;
  model_options(std::initializer_list<std::pair<const std::string, std::string>> given) : given_(given) {}

  void set(const std::string& name, std::string text) { given_.insert_or_assign(name, std::move(text)); }
  bool given(std::string_view name) const { return given_.contains(name); }
  const auto& all() const { return given_; }

  /// The values of given options, or `otherwise`. The texts have passed the option's fault().
  double number(std::string_view name, double otherwise) const;
  std::size_t count(std::string_view name, std::size_t otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;

 private:
  std::map<std::string, std::string, std::less<>> given_;
};

/// Parses the whole text as whole numbers between commas, all above 0; empty if it is anything else.
std::vector<std::size_t> counts_in(std::string_view text);

}  // namespace hogwild
