// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/mlp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include <hogwild/detail/results/saved_options.hpp>
#include "nets/loaded_net.hpp"

namespace hogwild {
namespace {

std::uint32_t narrowed(std::size_t n, const char* what) {
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw config_error(std::to_string(n) + " " + what + " are more than a net takes");
  return static_cast<std::uint32_t>(n);
}

mlp of_layers(std::size_t features, std::size_t classes, const detail::hidden_widths& hidden) {
  detail::require_layers<mlp>();
  if (classes < 2) throw config_error("mlp needs at least two classes");
  return {.features = narrowed(features, "columns of data"), .classes = narrowed(classes, "classes"), .hidden = hidden};
}

/// Whether rows have so few columns that a sparse first layer takes less time, although a product there takes about
/// five times as long as in a dense layer. Counts the rows of all ranks, so that all take the same form.
bool has_few(const model_data& data) {
  std::array<double, 2> all{static_cast<double>(data.rows.nonzeros()), static_cast<double>(data.rows.rows())};
  if (data.sum_of_all) data.sum_of_all(all);
  return !data.rows.image.known() && all[0] < 0.2 * all[1] * static_cast<double>(data.features());
}

constexpr std::array distributions = {sample_distribution::frequency, sample_distribution::log_uniform,
                                      sample_distribution::uniform};

/// The number of classes from which on the last layer is sampled, and the default number of draws.
constexpr std::size_t many_classes = 4'000, usual_samples = 512;

std::size_t samples_for(const std::string& asked, std::size_t classes) {
  if (asked == "auto") return classes >= many_classes ? usual_samples : 0;
  return asked == "0" ? 0 : std::min(counts_in(asked).front(), classes);
}

model_option samples_option() {
  return {"samples", "N", "auto",
          "draws of a batch for the sampled softmax of the last layer; 0: it is full; auto: 512 from 4,000 classes on",
          [](const std::string& text) -> std::string {
            if (text == "auto" || text == "0" || counts_in(text).size() == 1) return {};
            return quote(text) + " is not a whole number, nor auto";
          }};
}

class mlp_descriptor final : public descriptor_for<mlp> {
 public:
  mlp_descriptor()
      : descriptor_for({.summary = "one of several classes: a multi-layer perceptron on rows or images",
                        .options = {detail::hidden_option("128"), detail::dropout_option(),
                                    word_option("first-layer", {"auto", "sparse", "dense"},
                                                "sparse: on the columns of a row alone; auto: where rows have few"),
                                    samples_option(),
                                    word_option("sample-by", {"frequency", "log_uniform", "uniform"},
                                                "how likely --samples draws a class: by its rows, by their rank, or "
                                                "all alike"),
                                    flag_option("hierarchical",
                                                "the last layer is a hierarchical softmax over a Huffman tree of the "
                                                "classes"),
                                    word_option("class-loss", {"softmax", "one_vs_rest"},
                                                "softmax: probabilities whose sum is 1; one_vs_rest: a logistic loss "
                                                "for each class, against all others")},
                        .no_bias = detail::net_has_biases}) {}

  void check(const model_options& options) const override {
    detail::require_layers<mlp>();
    if (options.flag("hierarchical", false) && options.text("samples", "auto") != "auto" &&
        options.text("samples", "auto") != "0")
      throw config_error(
          "--samples draws classes for the last layer, and --hierarchical looks at no others than a row's own path: "
          "leave out one of them");
    if (options.flag("hierarchical", false) && options.text("class-loss", "softmax") != "softmax")
      throw config_error(
          "--class-loss one_vs_rest tells each class apart from all others, and --hierarchical is a softmax: leave out "
          "one of them");
  }

  named_model make(const model_data& data, const model_options& options) const override {
    mlp m =
        of_layers(data.features(), data.classes(), detail::hidden_of(counts_in(options.text("hidden", "128")), "mlp"));
    m.dropout = detail::dropout_of(options, "mlp");
    if (data.rows.image.known()) m.scale = static_cast<float>(1.0 / 255.0);
    const std::string form = options.text("first-layer", "auto");
    m.sparse = form == "sparse" || (form == "auto" && has_few(data));
    m.hierarchical = options.flag("hierarchical", false);
    m.one_vs_rest = options.text("class-loss", "softmax") == "one_vs_rest";
    if (!m.hierarchical)
      m.samples = static_cast<std::uint32_t>(samples_for(options.text("samples", "auto"), m.classes));
    const std::string by = options.text("sample-by", "frequency");
    for (const sample_distribution distribution : distributions)
      if (by == name_of(distribution)) m.sampled_by = distribution;
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    const auto is_scale = [](double x) {
      return std::isfinite(static_cast<float>(x)) && static_cast<float>(x) != 0.0f;
    };
    const double scale = detail::saved_option(saved, "scale", is_scale, "a number, not 0, that fits single precision");
    mlp m = of_layers(saved.columns.size(), saved.labels.classes(), detail::saved_hidden(saved));
    m.scale = static_cast<float>(scale);
    if (std::ranges::any_of(saved.model_options, [](const auto& o) { return o.first == "sparse"; }))
      m.sparse = detail::saved_flag(saved, "sparse");
    if (std::ranges::any_of(saved.model_options, [](const auto& o) { return o.first == "samples"; })) {
      m.samples = static_cast<std::uint32_t>(detail::saved_count(saved, "samples", m.classes));
      m.sampled_by =
          static_cast<sample_distribution>(detail::saved_count(saved, "sampled_by", distributions.size()) - 1);
    }
    if (std::ranges::any_of(saved.model_options, [](const auto& o) { return o.first == "hierarchical"; }))
      m.hierarchical = detail::saved_flag(saved, "hierarchical");
    if (std::ranges::any_of(saved.model_options, [](const auto& o) { return o.first == "one_vs_rest"; }))
      m.one_vs_rest = detail::saved_flag(saved, "one_vs_rest");
    if (!m.contradiction().empty()) throw input_error(std::string(m.contradiction()));
    return detail::load_net<mlp, detail::loaded_classes<mlp>>(m, saved);
  }

 private:
  saved_model save_model(const mlp& m, const trained_parameters& trained) const override {
    detail::require_parameters(trained.values.size() == m.dim() && trained.original.size() == m.features);
    saved_model saved;
    saved.model_options.emplace_back("scale", static_cast<double>(m.scale));
    if (m.sparse) saved.model_options.emplace_back("sparse", 1.0);
    if (m.samples != 0) {
      saved.model_options.emplace_back("samples", static_cast<double>(std::min(m.samples, m.classes)));
      saved.model_options.emplace_back("sampled_by", static_cast<double>(m.sampled_by) + 1.0);
    }
    if (m.hierarchical) saved.model_options.emplace_back("hierarchical", 1.0);
    if (m.one_vs_rest) saved.model_options.emplace_back("one_vs_rest", 1.0);
    detail::save_hidden(m.hidden, saved);
    saved.width = m.groups().front().width;
    save_by_column(trained, saved);
    return saved;
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<mlp>() {
  static const mlp_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
