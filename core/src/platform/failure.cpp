// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/failure.hpp>

#include <exception>
#include <new>

namespace hogwild {

failure current_failure() noexcept {
  failure found;
  try {
    try {
      throw;
    } catch (const cache_error& e) {
      found = {.code = e.code(), .is_cache_error = true};
      found.text = e.what();
    } catch (const error& e) {
      found.code = e.code();
      found.text = e.what();
    } catch (const std::bad_alloc&) {
      found.code = exit_code::resources;
      found.text = "there is not enough memory for this";
    } catch (const std::exception& e) {
      found.text = e.what();
    } catch (...) {
      found.text = "something that is no std::exception was thrown";
    }
  } catch (...) {  // no memory for the text
  }
  return found;
}

void throw_failure(const failure& what) {
  switch (what.code) {
    case exit_code::usage:
      throw config_error(what.text);
    case exit_code::input:
      throw input_error(what.text);
    case exit_code::resources:
      throw resource_error(what.text);
    case exit_code::internal:
      throw worker_error(what.text);
    case exit_code::done:
    case exit_code::diverged:
    case exit_code::interrupted:
      break;
  }
  throw error(what.code, what.text);
}

}  // namespace hogwild
