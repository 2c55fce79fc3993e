// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>

namespace hogwild::test {

/// The message of the Error that `call` throws, or "accepted".
template <class Error = error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& refused) {
    return refused.what();
  }
  return "accepted";
}

/// A text that is refused: where, and with which words.
struct faulty_text {
  std::string text;
  std::size_t line, column;
  std::string words;
};

/// `fault` has the members line, column and message.
template <class Fault>
void expect_fault(const Fault& fault, const faulty_text& bad) {
  const std::string shown = bad.text.substr(0, 60) + ": " + fault.message;
  EXPECT_EQ(fault.line, bad.line) << shown;
  EXPECT_EQ(fault.column, bad.column) << shown;
  EXPECT_NE(fault.message.find(bad.words), std::string::npos) << shown;
}

/// Expects that `read` throws a format_error.
template <class Read>
void expect_refused(const faulty_text& bad, const Read& read) {
  struct {
    std::size_t line, column;
    std::string message;
  } found{};
  try {
    read();
    found.message = "accepted";
  } catch (const format_error& fault) {
    found = {fault.line(), fault.column(), fault.what()};
    EXPECT_EQ(fault.code(), exit_code::input);
  }
  expect_fault(found, bad);
}

}  // namespace hogwild::test
