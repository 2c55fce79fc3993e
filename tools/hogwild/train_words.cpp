// SPDX-License-Identifier: Apache-2.0
#include "train_words.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/registry.hpp>

#include "table_options.hpp"
#include "text_values.hpp"

namespace hogwild::cli {
namespace {

using detail::between_ranks;
using detail::in_a_search;
using detail::option_facts;
using detail::run_option;

/// Options of the command that programs do not have.
constexpr detail::option_rows command_options{
    run_option<&train_request::test>{
        {{"", "--test", "Data",
          "measure the model after each epoch on these rows, or on this fraction of the rows, which is not trained on: "
          "of pairs a fraction of each user's, or the last N of each user by time"},
         {.placeholder = "FILE|FRACTION|last:N", .ranks = between_ranks::as_given, .search = in_a_search::refused}}},
    run_option<&train_request::known>{
        {{"", "--known", "Data",
          "triples that are true besides those of DATA and those that are measured: the places of answers are counted "
          "without them"},
         {.ranks = between_ranks::as_given, .search = in_a_search::refused}}},
    run_option<&train_request::files, &data_options::labels>{
        {{"", "--labels", "Data", "labels of IDX images, or of a Matrix Market file (default: the file beside DATA)"},
         {.ranks = between_ranks::as_given, .search = in_a_search::shared}}},
    run_option<&train_request::model>{{{"", "--model", "Model", "the model to train"}}},
    run_option<&train_request::scale>{
        {{"", "--scale", "Model",
          "divide columns by their largest absolute value (max_abs) or their standard deviation (standard), for linear "
          "models; auto: by max_abs where single columns outweigh all others. The saved weights are those of the "
          "columns as given"}}},
    run_option<&train_request::init>{
        {{"", "--init", "Model", "start from the parameters of this saved model; word vectors: from these vectors"},
         {.ranks = between_ranks::as_given, .search = in_a_search::shared}}},
    run_option<&train_request::init_groups>{
        {{"", "--init-groups", "Model", "take these groups of parameters from --init (default: all)"},
         {.placeholder = "GROUP,...", .search = in_a_search::shared, .needs = "--init"}}},
    run_option<&train_request::engine>{{{"", "--engine", "Workers", "who trains"}, {.search = in_a_search::shared}}},
    run_option<&train_request::workers>{
        {{"", "--workers", "Workers",
          "number of workers (0: as many as the machine and its quota give; with a device none)"},
         {.ranks = between_ranks::own, .search = in_a_search::shared}}},
    run_option<&train_request::devices>{{{"", "--device", "Workers",
                                          "devices of --engine cuda or ring, which train beside the --workers of the "
                                          "CPU; emulated: kernels run on the CPU"},
                                         {.placeholder = "NUMBER|emulated,...",
                                          .otherwise = "0",
                                          .ranks = between_ranks::own,
                                          .search = in_a_search::shared}}},
    run_option<&train_request::memory>{
        {{"", "--device-memory", "Workers",
          "where devices of --engine cuda keep the parameters: a replica in memory of their own (device), or the run's "
          "parameters in memory that CPUs share (pinned, managed)"},
         {.ranks = between_ranks::own, .search = in_a_search::shared}}},
    run_option<&train_request::storage>{
        {{"", "--storage", "Workers",
          "how replicas store factors: as 32-bit or 16-bit floats; for factorization_machine and ffm with threads or "
          "processes, for matrix_factorization on devices of --engine cuda"}}},
    run_option<&train_request::replicas>{
        {{"", "--replicas", "Workers", "replicas of the model on the ring (0: one for each memory node)"},
         {.ranks = between_ranks::own, .search = in_a_search::shared}}},
    run_option<&train_request::exchange>{{{"", "--exchange", "Workers", "how replicas on the ring exchange"}}},
    run_option<&train_request::released, &released_options::tolerance>{
        {{"", "--released-tolerance", "Workers",
          "under --exchange released: changes below this times the step stay in the replica"}}},
    run_option<&train_request::released, &released_options::rows>{
        {{"", "--released-rows", "Workers",
          "under --exchange released: rows of a worker between two exchanges (0: by a bound on gains)"}}},
    run_option<&train_request::released_dense>{
        {{"", "--released-dense", "Workers", "under --exchange released: cover all columns in each exchange"}}},
    run_option<&train_request::transport>{
        {{"", "--transport", "Workers",
          "whether workers of a ring, of all_reduce, of local_sgd or beside a device are threads or processes; mpi: "
          "threads of ranks that mpiexec or srun has started"},
         {.placeholder = "in_process|shared_segment|mpi", .otherwise = "in_process", .search = in_a_search::shared}}},
    run_option<&train_request::messages>{
        {{"", "--message-values", "Workers", "precision of changes in the messages of the ring between ranks"}}},
    run_option<&train_request::rank_timeout>{
        {{"", "--rank-timeout", "Workers", "seconds for which a rank waits for another one before the run ends"},
         {.placeholder = "SECONDS",
          .otherwise = "30",
          .range = detail::from(1, 1e6),
          .search = in_a_search::not_trials}}},
    run_option<&train_request::sync_rows>{
        {{"", "--sync-rows", "Workers",
          "rows of each worker between two meetings of all_reduce or local_sgd (default: 64 of all_reduce; 1024 of "
          "local_sgd, or an eighth of a worker's rows)"}}},
    run_option<&train_request::nccl>{{{"", "--collective", "Workers",
                                       "how workers of all_reduce and local_sgd meet: by --transport, or by NCCL with "
                                       "a CUDA device for each worker"},
                                      {.placeholder = "auto|nccl", .otherwise = "auto"}}},
    run_option<&train_request::scale_step>{
        {{"", "--scale-step", "Workers", "all_reduce: multiply the step by the number of workers"}}},
    run_option<&train_request::team>{{{"", "--team", "Workers", "library that starts the threads"},
                                      {.ranks = between_ranks::own, .search = in_a_search::shared}}},
    run_option<&train_request::pin>{
        {{"", "--pin", "Workers", "bind each process, thread of the std team and worker of a ring to a CPU"},
         {.ranks = between_ranks::own, .search = in_a_search::shared, .turns_off = true}}},
    run_option<&train_request::segment>{{{"", "--segment", "Workers",
                                          "threads, processes: keep the parameters in shared memory of this name, "
                                          "hogwild-..., from which 'predict --live' and other programs read them"},
                                         {.placeholder = "NAME", .search = in_a_search::refused}}},
    run_option<&train_request::validation_file>{
        {{"", "--validation", "Stopping",
          "stop when the model gets no better on these rows, or on this fraction of the rows, by --stop-by: of pairs a "
          "fraction of each user's, or the last N of each user by time"},
         {.placeholder = "FILE|FRACTION|last:N", .ranks = between_ranks::as_given, .search = in_a_search::not_trials}}},
    run_option<&train_request::calibrate>{{{"", "--calibrate", "Output",
                                            "models of two labels: fit probabilities to the margins of the "
                                            "--validation rows, and save them with the model "
                                            "(platt: a sigmoid; isotonic: steps that never fall)"},
                                           {.search = in_a_search::refused}}},
    run_option<&train_request::save>{
        {{"", "--save", "Output",
          "write the model here: text where the name ends in .txt, else binary (word vectors: binary where it ends in "
          ".bin; in .model: both vectors of each word, for 'hogwild evaluate')"},
         {.ranks = between_ranks::own, .search = in_a_search::not_trials}}},
    run_option<&train_request::save_diverged>{
        {{"", "--save-diverged", "Output",
          "save the model of a run that ended worse than it began, too, as long as its loss is finite"},
         {.needs = "--save"}}},
    run_option<&train_request::stop_exit_code>{
        {{"", "--stop-exit-code", "Output", "exit code of a run that a signal ends and that saves everything"},
         {.placeholder = "CODE", .range = detail::from(0, 255), .search = in_a_search::refused}}},
    run_option<&train_request::json>{{{"", "--json", "Output", "print the result as one JSON object"},
                                      {.ranks = between_ranks::own, .search = in_a_search::not_trials}}},
    run_option<&train_request::files, &data_options::quiet>{
        {{"", "--quiet", "Output", "print nothing but errors and what --json prints"},
         {.ranks = between_ranks::own, .search = in_a_search::not_trials}}},
    run_option<&train_request::stream>{
        {{"", "--stream", "Streams", "learn from the rows of standard input as they come, each once, until it ends"},
         {.search = in_a_search::refused}}},
    run_option<&train_request::save_every>{
        {{"", "--save-every", "Streams", "seconds between two writes of --save and --checkpoint"},
         {.range = detail::above(0), .search = in_a_search::refused, .needs = "--stream"}}},
    run_option<&train_request::of_stream, &stream_options::epoch_rows>{
        {{"", "--epoch-rows", "Streams", "rows that count as an epoch of the schedule of the step"},
         {.search = in_a_search::refused, .needs = "--stream"}}},
    run_option<&train_request::files, &data_options::graph, &graph_options::terminals>{
        {{"", "--terminals", "Of models",
          "labelled graphs: fraction of the nodes of each class that are terminals (default: 0.1)"}}},
    run_option<&train_request::files, &data_options::graph, &graph_options::seed>{
        {{"", "--terminals-seed", "Of models", "seed of the draw of the terminals (default: 1)"}}},
    run_option<&train_request::min_count>{
        {{"", "--min-count", "Of models", "leave out words that occur less often"}, {.search = in_a_search::shared}}},
    run_option<&train_request::files, &data_options::user_features>{
        {{"", "--user-features", "Of models",
          "pairs: features of users, a line for each, 'user feature feature:weight ...'; a user's vector is the sum of "
          "its own and those of its features"},
         {.placeholder = "FILE", .ranks = between_ranks::as_given, .search = in_a_search::shared}}},
    run_option<&train_request::files, &data_options::item_features>{
        {{"", "--item-features", "Of models",
          "pairs: the same for items; items that are in no pair can be recommended by their features"},
         {.placeholder = "FILE", .ranks = between_ranks::as_given, .search = in_a_search::shared}}},
    run_option<&train_request::walks>{
        {{"", "--walks", "Of models", "walks from each node; an epoch makes one"},
         {.placeholder = "N", .otherwise = "40", .range = detail::at_least(1), .search = in_a_search::refused}}},
    run_option<&train_request::cpus>{{{"", "--cpus", "Advice",
                                       "also predict for N CPUs like these, more than there are (extrapolated, without "
                                       "limits of memory bandwidth)"}}},
    run_option<&train_request::verify>{
        {{"", "--verify", "Advice",
          "train a few epochs with each engine and number of workers, and print their times beside the predictions"}}},
};

/// Words that other declarations add to this command: what ranks and searches make of them.
constexpr auto words_of_others = std::to_array<option_facts>({
    {{"", "--format"}, {.search = in_a_search::shared}},
    {{"", "--index-base"}, {.search = in_a_search::shared}},
    {{"", "--values"}, {.search = in_a_search::shared}},
    {{"", columns_option}, {.search = in_a_search::shared}},
    {{"", "--named-ids"}, {.search = in_a_search::shared}},
    {{"", "--positive-from"}, {.search = in_a_search::shared}},
    {{"", "--cache-dir"}, {.ranks = between_ranks::own, .search = in_a_search::shared}},
    {{"", "--no-cache"}, {.ranks = between_ranks::own, .search = in_a_search::shared}},
    {{"", "--memory"}, {.ranks = between_ranks::own, .search = in_a_search::shared}},
    {{"", "--weights"}, {.ranks = between_ranks::as_given, .search = in_a_search::not_trials}},
    {{"", "--offsets"}, {.ranks = between_ranks::as_given, .search = in_a_search::not_trials}},
    {{"", "--validation-weights"}, {.ranks = between_ranks::as_given, .search = in_a_search::not_trials}},
    {{"", "--validation-offsets"}, {.ranks = between_ranks::as_given, .search = in_a_search::not_trials}},
    {{"", "--test-weights"}, {.ranks = between_ranks::as_given, .search = in_a_search::refused}},
    {{"", "--test-offsets"}, {.ranks = between_ranks::as_given, .search = in_a_search::refused}},
    {{"", "--space"}, {.search = in_a_search::not_trials}},
    {{"", "--strategy"}, {.search = in_a_search::not_trials}},
    {{"", "--configurations", "Search", "configurations that random and halving draw"},
     {.otherwise = "32", .range = detail::from(1, 1e6), .search = in_a_search::not_trials}},
    {{"", "--eta", "Search", "halving, hyperband: train the best 1/N of the trials further"},
     {.otherwise = "3", .range = detail::from(2, 1e6), .search = in_a_search::not_trials}},
    {{"", "--folds"}, {.search = in_a_search::not_trials}},
    {{"", "--metric"}, {.search = in_a_search::not_trials}},
    {{"", "--journal"}, {.ranks = between_ranks::own, .search = in_a_search::not_trials}},
    {{"", "--help"}, {.search = in_a_search::shared}},
});

/// Calls f(row, holder) for each row that has a word, with the struct that holds its variable.
template <class F>
void for_each_row(train_request& r, const F& f) {
  const auto with_word = [&f](const auto& row, auto& holder) {
    if (!row.word.empty()) f(row, holder);
  };
  command_options.for_each([&](const auto& row) { with_word(row, r); });
  detail::for_each_run_option([&](const auto& row) { with_word(row, r.options); });
}

/// All rows that have a word, and those of others.
const std::vector<const option_facts*>& all_facts() {
  static const std::vector<const option_facts*> all = [] {
    std::vector<const option_facts*> found;
    train_request any;
    for_each_row(any, [&](const option_facts& of, const auto&) { found.push_back(&of); });
    for (const option_facts& of : words_of_others) found.push_back(&of);
    static const std::vector<option_facts> of_tables = [] {
      std::vector<option_facts> facts;
      for (const table_word& each : table_words()) facts.push_back({{"", each.word}, {.search = in_a_search::shared}});
      return facts;
    }();
    for (const option_facts& of : of_tables) found.push_back(&of);
    return found;
  }();
  return all;
}

template <class Value>
void declare(command_line& line, train_request& r, const option_facts& of, Value& value) {
  if (const text_setter set = setter_for(of.word); set != nullptr) {
    line.option(std::string(of.word), std::string(of.placeholder), std::string(of.otherwise), std::string(of.help),
                [set, &r](const std::string& text) { return set(r, text); });
  } else if (of.word == "--model") {
    command_line::words_for<std::string> names;
    for (const std::string_view name : model_names()) names.emplace_back(name, std::string(name));
    line.choice("--model", r.model, names, std::string(of.help));
  } else if constexpr (declarable<Value>) {
    declare_value(line, of, value);
  } else {
    throw std::logic_error("no way to set " + std::string(of.word) + ": give it a setter, or its words");
  }
}

}  // namespace

void declare_group(command_line& line, train_request& r, std::string_view group) {
  for_each_row(r, [&](const auto& row, auto& holder) {
    if (row.group == group) declare(line, r, row, row.of(holder));
  });
}

void declare_words(command_line& line, train_request& r, const std::vector<std::string_view>& words) {
  for_each_row(r, [&](const auto& row, auto& holder) {
    if (std::ranges::find(words, row.word) != words.end()) declare(line, r, row, row.of(holder));
  });
}

void declare_needs(command_line& line) {
  for (const option_facts* const of : all_facts()) {
    if (!of->needs.empty()) line.needs(std::string(of->word), std::string(of->needs));
    if (!of->excludes.empty()) line.excludes(std::string(of->word), std::string(of->excludes));
  }
}

const option_facts& facts_of(std::string_view word) {
  static constexpr option_facts unknown{};
  const auto found = std::ranges::find(all_facts(), word, &option_facts::word);
  return found == all_facts().end() ? unknown : **found;
}

std::vector<std::string_view> words_of_searches(in_a_search part) {
  std::vector<std::string_view> words;
  for (const option_facts* const of : all_facts())
    if (of->search == part) words.push_back(of->word);
  return words;
}

std::vector<std::string_view> words_with_facts() {
  std::vector<std::string_view> words;
  for (const option_facts* const of : all_facts()) words.push_back(of->word);
  return words;
}

std::vector<named_value> compared_words(const command_line& line) {
  std::vector<named_value> all;
  for (const auto& [name, text] : line.given_texts()) {
    const between_ranks ranks = facts_of(name).ranks;
    const auto number = to_number(text);
    if (ranks == between_ranks::same || (ranks == between_ranks::as_given && number))  // a fraction is not a file name
      all.push_back({name, number ? detail::to_text(*number) : text});
    else if (ranks == between_ranks::as_given)
      all.push_back({name, "given"});
  }
  return all;
}

}  // namespace hogwild::cli
