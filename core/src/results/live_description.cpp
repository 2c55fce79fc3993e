// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/live_description.hpp>

#include <cstring>

#include "text/byte_cursor.hpp"

namespace hogwild {

using detail::byte_builder;
using detail::byte_cursor;

namespace {

std::string take_live_name(byte_cursor& from) {
  const auto size = from.take<std::uint32_t>("a name");
  const auto bytes = from.take_bytes(size, "a name");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
std::vector<T> take_live_numbers(byte_cursor& from, const char* what) {
  const auto count = from.take<std::uint64_t>(what);
  const auto bytes = from.take_bytes(count > from.left() ? count : count * sizeof(T), what);
  std::vector<T> numbers(static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

template <class T>
void put_live_numbers(byte_builder& to, std::span<const T> numbers) {
  to.put(static_cast<std::uint64_t>(numbers.size()));
  to.put_span(numbers);
}

}  // namespace

std::vector<live_description::group> live_description::groups_from(std::span<const parameter_group> groups) {
  std::vector<group> named;
  for (const parameter_group& g : groups)
    named.push_back({std::string(g.name), g.offset, g.rows, g.width, g.first_column, g.hot_first});
  return named;
}

std::vector<parameter_group> live_description::parameter_groups() const {
  std::vector<parameter_group> all;
  for (const group& g : groups)
    all.push_back({.name = g.name,
                   .offset = g.offset,
                   .rows = g.rows,
                   .width = g.width,
                   .hot_first = g.by_columns,
                   .first_column = g.first_column});
  return all;
}

std::vector<std::byte> live_description::encode() const {
  byte_builder to;
  to.put_text(model);
  to.put(static_cast<std::uint32_t>(whole));
  to.put(static_cast<std::uint32_t>(numbers.size()));
  for (const auto& [name, number] : numbers) to.put_text(name), to.put(number);
  to.put(static_cast<std::uint32_t>(labels.kind()));
  put_live_numbers(to, labels.values());
  to.put(static_cast<std::uint32_t>(groups.size()));
  for (const group& g : groups) {
    to.put_text(g.name);
    for (const std::size_t number : {g.offset, g.rows, g.width, g.first_column, std::size_t{g.by_columns}})
      to.put(static_cast<std::uint64_t>(number));
  }
  put_live_numbers(to, std::span<const std::uint32_t>(original));
  return std::move(to).take();
}

live_description live_description::decode(std::span<const std::byte> bytes, const std::string& name) {
  byte_cursor from(bytes, name);
  live_description d;
  d.model = take_live_name(from);
  d.whole = from.take<std::uint32_t>("a flag") != 0;
  for (auto n = from.take<std::uint32_t>("numbers of the model"); n > 0; --n) {
    std::string of = take_live_name(from);
    d.numbers.emplace_back(std::move(of), from.take<double>("a number of the model"));
  }
  const auto kind = from.take<std::uint32_t>("the labels");
  if (kind > static_cast<std::uint32_t>(label_kind::classes)) from.fail(from.offset(), "labels of an unknown kind");
  d.labels = label_map(static_cast<label_kind>(kind), take_live_numbers<double>(from, "the labels"));
  for (auto n = from.take<std::uint32_t>("the groups"); n > 0; --n) {
    group g{.name = take_live_name(from)};
    for (std::size_t* const number : {&g.offset, &g.rows, &g.width, &g.first_column})
      *number = static_cast<std::size_t>(from.take<std::uint64_t>("a group"));
    g.by_columns = from.take<std::uint64_t>("a group") != 0;
    d.groups.push_back(std::move(g));
  }
  d.original = take_live_numbers<std::uint32_t>(from, "the columns");
  return d;
}

}  // namespace hogwild
