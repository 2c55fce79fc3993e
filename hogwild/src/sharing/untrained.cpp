// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/untrained.hpp>

#include <string>

#include <hogwild/error.hpp>
#include <hogwild/names.hpp>

namespace hogwild {

namespace {

[[noreturn]] void throw_unwritten(const std::string& what, const loop_options& o) {
  throw error(exit_code::internal,
              what + std::string(name_of(o.sharing)) + " arrays with " + std::string(name_of(o.update)) +
                  " updates, and nothing has refused these options: please report it; leave sharing and update at "
                  "their defaults meanwhile");
}

}  // namespace

void throw_untrained(std::string_view model, const loop_options& options) {
  throw_unwritten(
      "there is no step of " + std::string(model) + " under " + std::string(name_of(options.optimizer)) + " on ",
      options);
}

void throw_unshared(const loop_options& options) {
  throw_unwritten("there are no ", options);
}

}  // namespace hogwild
