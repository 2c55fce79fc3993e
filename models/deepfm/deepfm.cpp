// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/deepfm.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/formats/libffm.hpp>

#include "factors/field_fm.hpp"
#include "factors/fm_descriptor.hpp"
#include "nets/loaded_net.hpp"

namespace hogwild {
namespace {

constexpr const char* usual_hidden = "64,32";

class deepfm_descriptor final : public detail::fm_descriptor<deepfm> {
 public:
  deepfm_descriptor()
      : fm_descriptor({.summary = "two labels or numbers: a factorization machine and a net on the same factors",
                       .input = model_input::fields,
                       .options = {detail::factors_option(deepfm{}.factors, "of each column"),
                                   detail::hidden_option(usual_hidden), detail::dropout_option()}}) {}

  void check(const model_options&) const override { detail::require_layers<deepfm>(); }

 private:
  deepfm for_columns(const model_data& data, const model_options& options) const override {
    detail::require_layers<deepfm>();
    return {.fields = std::max<std::size_t>(count_fields(data.rows.original), 1),
            .hidden = detail::hidden_of(counts_in(options.text("hidden", usual_hidden)), "deepfm"),
            .dropout = detail::dropout_of(options, "deepfm")};
  }
  void begin_as(const deepfm& known, bool whole, bool, const model_options& options, deepfm& m) const override {
    if (!whole) return;
    m.fields = std::max(m.fields, known.fields);
    if (!options.given("hidden")) m.hidden = known.hidden;
  }
  void read_options(const saved_model& saved, deepfm& m) const override {
    detail::require_layers<deepfm>();
    m.fields = detail::saved_fields(saved);
    m.hidden = detail::saved_hidden(saved);
    if (m.inputs() > deepfm::most_inputs)
      throw input_error("the saved deepfm model has more than " + std::to_string(deepfm::most_inputs) +
                        " inputs of its net");
  }
  void write_options(const deepfm& m, saved_model& saved) const override {
    saved.model_options.emplace_back("fields", static_cast<double>(m.fields));
    detail::save_hidden(m.hidden, saved);
    saved.model_options.emplace_back("net", static_cast<double>(m.net().parameters()));
  }
  std::shared_ptr<const loaded_model> loaded(const deepfm& m, std::vector<float> parameters,
                                             const saved_model& saved) const override {
    return std::make_shared<detail::loaded_field_fm<deepfm>>(m, std::move(parameters), saved.columns);
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<deepfm>() {
  static const deepfm_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
