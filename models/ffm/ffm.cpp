// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/ffm.hpp>

#include <algorithm>

#include <hogwild/formats/libffm.hpp>

#include "factors/field_fm.hpp"
#include "factors/fm_descriptor.hpp"

namespace hogwild {
namespace {

class ffm_descriptor final : public detail::fm_descriptor<ffm> {
 public:
  ffm_descriptor()
      : fm_descriptor({.summary = "two labels or numbers, from pairs of columns that belong to fields",
                       .input = model_input::fields,
                       .options = {detail::factors_option(ffm{}.factors, "of each column for each field"),
                                   flag_option("unit-rows",
                                               "scale each row to length one (default), or take its values as they "
                                               "are")}}) {}

 private:
  ffm for_columns(const model_data& data, const model_options& options) const override {
    return {.fields = std::max<std::size_t>(count_fields(data.rows.original), 1),
            .unit_rows = options.flag("unit-rows", true)};
  }
  void begin_as(const ffm& known, bool whole, bool factors, const model_options& options, ffm& m) const override {
    if (factors) m.fields = std::max(m.fields, known.fields);
    if (whole && !options.given("unit-rows")) m.unit_rows = known.unit_rows;
  }
  void read_options(const saved_model& saved, ffm& m) const override {
    m.fields = detail::saved_fields(saved);
    m.unit_rows = detail::saved_flag(saved, "unit_rows");
  }
  void write_options(const ffm& m, saved_model& saved) const override {
    saved.model_options.emplace_back("fields", static_cast<double>(m.fields));
    saved.model_options.emplace_back("unit_rows", m.unit_rows ? 1.0 : 0.0);
  }
  std::shared_ptr<const loaded_model> loaded(const ffm& m, std::vector<float> parameters,
                                             const saved_model& saved) const override {
    return std::make_shared<detail::loaded_field_fm<ffm>>(m, std::move(parameters), saved.columns);
  }
  std::size_t blocks_of(const ffm& m) const override { return m.fields; }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<ffm>() {
  static const ffm_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
