// SPDX-License-Identifier: Apache-2.0
#include <hogwild/model.hpp>

#include <array>
#include <string>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

struct bare_margin {
  double loss(float, float) const { return 0.0; }
  float derivative(float, float) const { return 0.0f; }
};

struct bare_general {
  using scalar_type = double;
  using example_type = sparse_row<float>;
  std::size_t dim() const { return 12; }
  double loss(const auto&, const example_type&) const { return 0.0; }
  void gradient(const auto&, const example_type&, const auto&) const {}
};

struct named_general : bare_general {
  static constexpr std::string_view name = "my model";
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool linear = true;
  std::array<parameter_group, 2> groups() const { return {{{.rows = 4}, {.name = "tail", .offset = 4, .rows = 8}}}; }
};

struct last_of_its_kind final {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "last of its kind";
  std::size_t dim() const { return 1; }
  double loss(const auto&, const example_type&) const { return 0.0; }
  void gradient(const auto&, const example_type&, const auto&) const {}
  float derivative(float) const { return 0.0f; }  // a helper of its own
};

struct with_memory : bare_general {
  std::string words;
};

struct neither {
  std::size_t dim() const { return 1; }
};

static_assert(margin_model<bare_margin> && !general_model<bare_margin> && model<bare_margin>);
static_assert(general_model<bare_general> && !margin_model<bare_general> && model<bare_general>);
static_assert(!model<neither> && !model<int>);
static_assert(conforms<bare_margin>() && conforms<bare_general>() && conforms<named_general>());
static_assert(conforms<last_of_its_kind>() && conforms<with_memory>());
static_assert(segment_storable<bare_general> && !segment_storable<with_memory>);

TEST(model, what_it_does_not_say_has_defaults) {
  EXPECT_EQ(labels_of(bare_general{}), label_kind::real);
  EXPECT_TRUE(is_linear<bare_margin>());
  EXPECT_FALSE(is_linear<bare_general>());
  const auto groups = groups_of(bare_general{});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].rows, 12u);
  EXPECT_EQ(groups[0].width, 1u);
  EXPECT_TRUE(groups[0].l2 && groups[0].hot_first);
  EXPECT_NE(model_name<bare_general>().find("bare_general"), std::string_view::npos);
}

TEST(model, what_it_says_is_heard) {
  EXPECT_EQ(labels_of(named_general{}), label_kind::classes);
  EXPECT_TRUE(is_linear<named_general>());
  EXPECT_EQ(model_name<named_general>(), "my model");
  const auto groups = groups_of(named_general{});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].name, "tail");
  EXPECT_EQ(groups[1].offset, 4u);
}

}  // namespace
