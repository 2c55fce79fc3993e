// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <interrupt/interrupt.hpp>

#include "advice_check.hpp"
#include "advice_text.hpp"
#include "column_scales.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "model_from_request.hpp"
#include "retry_damaged_cache.hpp"
#include "standard_streams.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

/// The printed text.
std::string advice_for(train_request request) {
  const sparse_dataset data = trains_on_words(request) ? open_words(request.data, request.min_count, request.files).rows
                                                       : open_training(request.data, request.files);
  const sparse_view rows = data.view();
  const named_model m = model_of(request, rows, agreement(nullptr), nullptr);
  train_options options = request.options;
  options.data_name = request.data;
  advice given = advise_on_engines(m, rows, request, options);
  checked_advice measured;
  if (request.verify) measured = measure_advised(given, m, rows, request, options);
  std::ranges::move(extrapolate(given.runs, request.cpus), std::back_inserter(given.runs));
  if (request.verify) measured.runs.resize(given.runs.size());
  const column_scaling scale = advised_scaling(m, rows, options);
  if (request.json) return advice_json(request, rows, given, measured, scale);
  return request.files.quiet ? std::string() : advice_text(rows, given, measured, scale);
}

}  // namespace

int advise_command(int argc, const char* const* argv) {
  train_request request;
  if (const auto code = parse_advise(argc, argv, request)) return *code;
  const interrupt ends_at_once({.ended = ended_at_once});
  const std::string text = retry_damaged_cache([&] { return advice_for(request); });
  if (!text.empty()) print(text);
  return 0;
}

}  // namespace hogwild::cli
