// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/run/choose.hpp>
#include <hogwild/observer.hpp>

namespace hogwild {

/// A note that a choice under `--sharing auto` may be wrong, because other processes took the fraction `missed` of the
/// measured times (line_speed::missed). Empty if `missed` is no more than on an idle machine, or if times that are
/// shorter or longer by that fraction lead to the same kind of sharing and as many workers.
std::string doubt_about(const sharing_facts& facts, const sharing_choice& chosen, double missed);

/// An observer that hears of a doubtful choice by a function of its own instead of on_note().
class doubt_observer : public observer {
 public:
  virtual void on_sharing_in_doubt(std::string_view sentence) = 0;
};

/// Tells an observer of a doubtful choice: by on_sharing_in_doubt() if it is a doubt_observer, else by on_note().
void tell_of_doubt(observer& o, std::string_view sentence);

}  // namespace hogwild
