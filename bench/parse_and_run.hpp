// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include <hogwild/error.hpp>

namespace hogwild::bench {

/// Returns the exit code for main(): that of `work`, or of help or of an error, which it prints.
template <class Work>
int parse_and_run(CLI::App& app, int argc, const char* const* argv, const Work& work) {
  const auto failed = [&app](exit_code code, const char* before, const char* why) {
    std::fprintf(stderr, "%s: %s%s\n", app.get_name().c_str(), before, why);
    return static_cast<int>(code);
  };
  try {
    app.parse(argc, argv);
    return work();
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& fault) {
    return failed(exit_code::usage, "", fault.what());
  } catch (const error& e) {
    return failed(e.code(), "", e.what());
  } catch (const std::exception& e) {
    return failed(exit_code::internal, "internal fault: ", e.what());
  }
}

}  // namespace hogwild::bench
