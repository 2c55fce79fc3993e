// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <generate/generate.hpp>

#include <hogwild/detail/platform/printable.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {

int generate_command(int argc, const char* const* argv) {
  generate::options o;
  std::string out, test;
  bool json = false;
  command_line line("generate",
                    "Writes synthetic LIBSVM data with the shape of a text collection: unit-length rows, log-normal\n"
                    "numbers of entries, columns of Zipf-like popularity, labels from a hidden plane with noise.\n"
                    "The same seed makes the same files everywhere.",
                    "hogwild generate train.svm --test test.svm --rows 20000 --seed 7");
  line.positional("OUT", out, "file for the training rows");
  line.option("--test", test, "write a part of the rows to this file, as test rows");
  line.option("--rows", o.rows, "training and test rows together");
  line.option("--columns", o.columns, "columns");
  line.option("--nonzeros", o.nonzeros, "mean entries of a row");
  line.option("--length-spread", o.length_spread, "standard deviation of the log of a row's length");
  line.option("--delta", o.delta, "fraction of rows that have the commonest column");
  line.option("--zipf", o.zipf, "exponent by which the popularity of columns falls");
  line.option("--noise", o.noise, "fraction of labels that are flipped");
  line.option("--margin", o.margin, "rows nearer than this to the hidden plane are left out");
  line.option("--test-fraction", o.test_fraction, "fraction of the rows that go into the test file");
  line.option("--seed", o.seed, "seed of the random draws");
  line.flag("--json", json, "print one JSON object about the files");
  line.needs("--test-fraction", "--test");
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});

  const auto begin = std::chrono::steady_clock::now();
  const auto made =
      generate::write_files(o, out, test.empty() ? std::nullopt : std::optional<std::filesystem::path>(test));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (json) {
    nlohmann::ordered_json facts = {
        {"train_file", out}, {"train_rows", made.train_rows}, {"train_nonzeros", made.train_nonzeros}};
    if (!test.empty()) {
      facts["test_file"] = test;
      facts["test_rows"] = made.test_rows;
      facts["test_nonzeros"] = made.test_nonzeros;
    }
    facts["columns"] = o.columns;
    facts["seed"] = o.seed;
    facts["seconds"] = seconds;
    print_beside({out, test}, json_text(facts) + "\n");
    return 0;
  }
  const auto said = [](const std::string& file, std::size_t rows, std::uint64_t nonzeros) {
    return printable(file) + ": " + std::to_string(rows) + " rows, " + std::to_string(nonzeros) + " nonzeros\n";
  };
  std::string text = said(out, made.train_rows, made.train_nonzeros);
  if (!test.empty()) text += said(test, made.test_rows, made.test_nonzeros);
  text += std::to_string(o.columns) + " columns, seed " + std::to_string(o.seed) + formatted(", %.2f s\n", seconds);
  print_beside({out, test}, text);
  return 0;
}

}  // namespace hogwild::cli
