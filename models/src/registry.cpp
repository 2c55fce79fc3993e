// SPDX-License-Identifier: Apache-2.0
#include <hogwild/registry.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/detail/words/documents.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

/// The models of the library, in the order of named_model's alternatives, then the registered ones.
std::vector<const model_descriptor*>& all_models() {
  static std::vector<const model_descriptor*> all =
      with_named_models([]<class... M>() { return std::vector<const model_descriptor*>{&descriptor_of<M>()...}; });
  return all;
}

}  // namespace

std::span<const model_descriptor* const> known_models() {
  return all_models();
}

void register_descriptor(const model_descriptor& descriptor) {
  if (find_model(descriptor.name()) != nullptr)
    throw config_error("there is a model " + quote(descriptor.name()) + " already: give yours another name");
  all_models().push_back(&descriptor);
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const model_descriptor* const known : known_models()) names.push_back(known->name());
  return names;
}

const model_descriptor* find_model(std::string_view name) {
  const auto known = std::ranges::find(known_models(), name, &model_descriptor::name);
  return known == known_models().end() ? nullptr : *known;
}

const model_descriptor& model_named(std::string_view name) {
  if (const model_descriptor* const known = find_model(name)) return *known;
  std::string list;
  for (const std::string_view known : model_names()) list += (list.empty() ? "" : ", ") + std::string(known);
  throw config_error("there is no model " + quote(name) + "; there are " + list +
                     "; a model of a program's own is known to that program, whose command registers it");
}

const model_descriptor& descriptor_of(const named_model& m) {
  const auto* const registered = std::get_if<registered_model>(&m);
  return registered != nullptr ? registered->object->descriptor() : *known_models()[m.index()];
}

named_model make_model(std::string_view name, const model_data& data, const model_options& options) {
  const model_descriptor& asked = model_named(name);
  for (const auto& [option, text] : options.all()) {
    const auto known = std::ranges::find(asked.facts().options, option, &model_option::name);
    if (known == asked.facts().options.end())
      throw config_error("the model " + std::string(name) + " has no option " + quote(option));
    if (const std::string fault = known->fault(text); !fault.empty())
      throw config_error("the option " + quote(option) + " of " + std::string(name) + ": " + fault);
  }
  asked.check(options);
  return asked.make(data, options);
}

std::string_view name_of(const named_model& m) {
  return descriptor_of(m).name();
}

label_kind labels_of(const named_model& m) {
  return std::visit([](const auto& concrete) { return labels_of(concrete); }, m);
}

word_vectors vectors_of(const named_model& m, std::span<const float> parameters, const vocabulary& words) {
  if (const auto* const documents = std::get_if<paragraph_vectors>(&m)) return documents_of(*documents, parameters);
  return detail::vectors_of_words(m, parameters, words);
}

saved_model to_saved(const named_model& m, std::span<const float> parameters, const label_map& labels,
                     std::span<const std::uint32_t> original) {
  const std::vector<std::uint32_t> positions = detail::saved_order_of(original);
  saved_model saved = descriptor_of(m).save(m, {parameters, original, positions, labels});
  saved.model = std::string(name_of(m));
  saved.labels = labels;
  saved.columns.clear();
  for (const std::uint32_t position : positions) saved.columns.push_back(original[position]);
  return saved;
}

saved_model to_saved(const named_model& m, answer_kind by, std::size_t models, std::span<const float> parameters,
                     const label_map& labels, std::span<const std::uint32_t> original) {
  return std::visit(
      [&]<class M>(const M& concrete) -> saved_model {
        if constexpr (margin_model<M>)
          return detail::saved_form_of(concrete, by, models, parameters, labels, original);
        else
          throw config_error("one class against the rest and ensembles are for models with a margin, and " +
                             std::string(name_of(m)) + " has none");
      },
      m);
}

std::optional<answer_kind> answer_of(const saved_model& saved) {
  std::optional<answer_kind> found;
  const auto look = [&]<class M>(std::type_identity<M>) {
    if constexpr (margin_model<M>)
      if (saved.model == model_name<M>()) found = detail::answer_of<M>(saved);
  };
  with_named_models([&]<class... M>() { (look(std::type_identity<M>{}), ...); });
  return found;
}

}  // namespace hogwild
