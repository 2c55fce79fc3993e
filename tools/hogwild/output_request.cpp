// SPDX-License-Identifier: Apache-2.0
#include "output_request.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild::cli {
namespace {

/// `text` is a number of epochs, or of seconds, minutes, hours or days. Returns an error message, or an empty text.
std::string set_checkpoint_every(const std::string& text, train_options& o) {
  constexpr std::array units{std::pair('s', 1.0), std::pair('m', 60.0), std::pair('h', 3600.0),
                             std::pair('d', 86400.0)};
  const auto* const unit = std::ranges::find(units, text.empty() ? ' ' : text.back(), &std::pair<char, double>::first);
  const bool is_time = unit != units.end();
  const auto number = to_number(std::string_view(text).substr(0, text.size() - (is_time ? 1 : 0)));
  const bool is_whole = number && *number == std::floor(*number) && *number < 1e15;
  if (!number || !(*number > 0.0) || !std::isfinite(*number) || (!is_time && !is_whole))
    return quote(text) + " is neither a number of epochs, from 1 on, nor a time such as 90s, 10m, 2h or 1d";
  o.checkpoint_every = is_time ? 1 : static_cast<std::size_t>(*number);
  o.checkpoint_seconds.reset();
  if (is_time) o.checkpoint_seconds = *number * unit->second;
  return {};
}

}  // namespace

void declare_output(command_line& line, train_request& r) {
  line.group("Output");
  line.option("--save", r.save,
              "write the model here: text where the name ends in .txt, else binary (word vectors: binary where it ends "
              "in .bin; in .model: both vectors of each word, for 'hogwild evaluate')");
  line.flag("--save-diverged", r.save_diverged,
            "save the model of a run that ended worse than it began, too, as long as its loss is finite");
  line.needs("--save-diverged", "--save");
  line.option("--stop-exit-code", "CODE", "130", "exit code of a run that a signal ends and that saves everything",
              [&r](const std::string& text) -> std::string {
                const auto code = to_number(text);
                if (!code || *code < 0.0 || *code > 255.0 || *code != std::floor(*code))
                  return quote(text) + " is no exit code, a whole number from 0 to 255";
                r.stop_exit_code = static_cast<int>(*code);
                return {};
              });
  line.option("--record", r.options.record, "write a run record here, one JSON object a line");
  line.option("--checkpoint", r.options.checkpoint,
              "write the state of the run here, as often as --checkpoint-every says");
  line.option("--checkpoint-every", "N|TIME", "1", "epochs, or a time such as 90s, 10m or 2h, between two checkpoints",
              [&r](const std::string& text) { return set_checkpoint_every(text, r.options); });
  line.needs("--checkpoint-every", "--checkpoint");
  line.option("--resume", r.options.resume, "go on from this checkpoint, and append to the record that --record names");
  line.flag("--json", r.json, "print the result as one JSON object");
  line.flag("--quiet", r.files.quiet, "print nothing but errors and what --json prints");
}

}  // namespace hogwild::cli
