// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/sharing_doubt.hpp>

#include <algorithm>

#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/names.hpp>

namespace hogwild {

namespace {

std::string workers_and_sharing(const sharing_choice& of) {
  return std::to_string(of.workers) + (of.workers == 1 ? " worker" : " workers") + " (" +
         std::string(name_of(of.kind)) + ")";
}

}  // namespace

std::string doubt_about(const sharing_facts& facts, const sharing_choice& chosen, double missed) {
  if (facts.asked != sharing_kind::automatic || !is_busy({.missed = missed})) return {};
  // If a thread waits, its time is measured too long; if a thread has no CPU while the other runs, they do not meet,
  // and both times are too short.
  const double had = std::max(1.0 - missed, 0.01);
  for (const double factor : {had, 1.0 / had}) {
    sharing_facts undisturbed = facts;
    undisturbed.line_ns *= factor;
    undisturbed.shared_ns *= factor;
    const sharing_choice other = choose_sharing(undisturbed);
    if (other.kind == chosen.kind && other.workers == chosen.workers) continue;
    return "other programs or a quota took " + percent_text(missed) +
           " of the CPU time of the measurement that decided how many workers train and how they share: " +
           workers_and_sharing(chosen) + "; without them it might be " + workers_and_sharing(other) +
           ". Name a sharing, or train when the machine is idle";
  }
  return {};
}

void tell_of_doubt(observer& o, std::string_view sentence) {
  auto* const apart = dynamic_cast<doubt_observer*>(&o);
  apart != nullptr ? apart->on_sharing_in_doubt(sentence) : o.on_note(sentence);
}

}  // namespace hogwild
