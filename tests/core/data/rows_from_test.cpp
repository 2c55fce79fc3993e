// SPDX-License-Identifier: Apache-2.0
#include <hogwild/rows.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <list>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

namespace {

/// The arrays of a matrix with a long tail of columns, so that ranks differ from numbers.
test::toy_rows long_tail(std::size_t rows, std::size_t columns) {
  const counter_random random(11, 1);
  test::toy_rows data;
  data.columns = columns;
  std::uint64_t n = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::uint32_t> index;
    for (std::uint64_t k = random.below(n++, 9); k > 0; --k) {
      const double u = random.uniform(n++);
      index.push_back(static_cast<std::uint32_t>(static_cast<double>(columns - 1) * (1.0 - u * u * u)));
    }
    std::ranges::sort(index);
    index.erase(std::unique(index.begin(), index.end()), index.end());
    std::vector<float> value(index.size());
    for (float& x : value) x = static_cast<float>(random.uniform(n++)) - 0.5f;
    data.push(index, value, random.below(n++, 2) == 0 ? -1.0f : 1.0f);
  }
  return data;
}

csr_arrays arrays_of(const test::toy_rows& rows) {
  return {.row_start = rows.row_start, .index = rows.index, .value = rows.value, .label = rows.label};
}

std::string text_of(const test::toy_rows& rows) {
  std::ostringstream text;
  write_libsvm(text, rows.csr().view());
  return text.str();
}

template <class T>
std::vector<T> all_of(std::span<const T> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Everything that training sees, bit for bit.
void expect_same(const sparse_dataset& a, const sparse_dataset& b) {
  const sparse_view x = a.view(), y = b.view();
  ASSERT_EQ(x.rows(), y.rows());
  EXPECT_TRUE(std::ranges::equal(x.row_start, y.row_start));
  EXPECT_EQ(all_of(x.index), all_of(y.index));
  EXPECT_EQ(all_of(x.index16), all_of(y.index16));
  EXPECT_EQ(all_of(x.value), all_of(y.value));
  EXPECT_TRUE(std::ranges::equal(x.value16, y.value16));
  EXPECT_TRUE(std::ranges::equal(x.label, y.label));
  EXPECT_EQ(all_of(x.degree), all_of(y.degree));
  EXPECT_EQ(all_of(x.original), all_of(y.original));
  EXPECT_EQ(x.columns, y.columns);
  EXPECT_EQ(x.first_singleton, y.first_singleton);
}

struct rows_from_file : testing::Test {
  test::scratch_folder folder;

  sparse_dataset of_text(const test::toy_rows& rows, open_options options = {}) const {
    const std::string path = (folder.path() / "rows.svm").string();
    std::ofstream(path) << text_of(rows);
    options.cache = open_options::cache_use::none;
    return open_libsvm(path, options);
  }
};

TEST_F(rows_from_file, arrays_become_what_the_same_rows_of_a_file_become) {
  for (const std::size_t columns : {std::size_t{300}, std::size_t{90'000}, std::size_t{2'000'000'000}}) {
    const test::toy_rows rows = long_tail(3000, columns);
    expect_same(rows_from(arrays_of(rows), {.first_column = 1}), of_text(rows));
  }
}

TEST_F(rows_from_file, so_do_arrays_of_every_type) {
  const test::toy_rows rows = long_tail(500, 300);
  const std::vector<double> value(rows.value.begin(), rows.value.end()), label(rows.label.begin(), rows.label.end());
  const auto with = [&]<class Start, class Index>(Start, Index) {
    const std::vector<Start> start(rows.row_start.begin(), rows.row_start.end());
    const std::vector<Index> index(rows.index.begin(), rows.index.end());
    const std::vector<std::int64_t> whole(rows.label.begin(), rows.label.end());
    expect_same(rows_from({.row_start = start, .index = index, .value = value, .label = label}, {.first_column = 1}),
                of_text(rows));
    expect_same(
        rows_from({.row_start = start, .index = index, .value = rows.value, .label = whole}, {.first_column = 1}),
        of_text(rows));
  };
  with(std::int32_t{}, std::int32_t{});
  with(std::uint32_t{}, std::int64_t{});
  with(std::int64_t{}, std::uint64_t{});
  with(std::uint64_t{}, std::uint32_t{});
}

TEST_F(rows_from_file, pieces_are_rows_one_after_the_other) {
  const test::toy_rows rows = long_tail(700, 300);
  std::vector<csr_arrays> pieces(3);
  const std::span start(rows.row_start);
  const std::span label(rows.label);
  // Slices of a common array: positions count from the beginning of the array.
  pieces[0] = {.row_start = start.first(201), .index = rows.index, .value = rows.value, .label = label.first(200)};
  pieces[2] = {.row_start = start.subspan(200), .index = rows.index, .value = rows.value, .label = label.subspan(200)};
  expect_same(rows_from(pieces, {.first_column = 1}), of_text(rows));
}

TEST_F(rows_from_file, columns_have_the_callers_numbers) {
  for (const std::size_t columns : {std::size_t{70}, std::size_t{400'000}, std::size_t{2'000'000'000}}) {
    const test::toy_rows rows = long_tail(columns == 70 ? 300 : 30'000, columns);
    const sparse_dataset data = rows_from(arrays_of(rows)), file = of_text(rows);
    ASSERT_EQ(data.features(), file.features());
    EXPECT_EQ(data.features() > data.view().first_singleton, columns > 70);
    for (std::size_t j = 0; j < data.features(); ++j) EXPECT_EQ(data.original(j) + 1, file.original(j));
    EXPECT_EQ(all_of(data.view().index), all_of(file.view().index));
  }
}

TEST_F(rows_from_file, test_rows_are_read_through_the_numbering_in_their_order) {
  const test::toy_rows rows = long_tail(300, 70), others = long_tail(90, 200);
  const sparse_dataset data = rows_from(arrays_of(rows)), file = of_text(rows);
  const sparse_dataset tested = rows_from(arrays_of(others), {.numbering = &data.numbering()});
  const sparse_dataset expected = of_text(others, {.numbering = &file.numbering()});
  EXPECT_GT(tested.unknown_entries(), 0u);
  EXPECT_EQ(tested.unknown_entries(), expected.unknown_entries());
  EXPECT_EQ(all_of(tested.view().index16), all_of(expected.view().index16));
  EXPECT_THAT(std::vector<double>(tested.view().label.begin(), tested.view().label.end()),
              ElementsAreArray(others.label));
  // Each row names the columns of its own.
  row_cursor cursor(tested.view());
  const sparse_row<float> first = cursor.row(0);
  for (const std::uint32_t j : first.index)
    EXPECT_TRUE(std::ranges::count(std::span(others.index).first(others.row_start[1]), tested.original(j)) == 1);
}

TEST_F(rows_from_file, weights_offsets_and_numbers_go_along) {
  const test::toy_rows rows = long_tail(400, 70);
  std::vector<float> weight(400), offset(400);
  std::vector<std::uint32_t> id(400);
  for (std::uint32_t r = 0; r < 400; ++r) weight[r] = static_cast<float>(r + 1), offset[r] = -weight[r], id[r] = 7 * r;
  csr_arrays arrays = arrays_of(rows);
  arrays.weight = weight, arrays.offset = offset, arrays.id = id;
  sparse_dataset file = of_text(rows);
  file.set_weights(weight), file.set_offsets(offset), file.number_rows();
  const sparse_dataset data = rows_from(arrays);
  const sparse_view from = data.view(), expected = file.view();
  EXPECT_EQ(all_of(from.weight), all_of(expected.weight));
  EXPECT_EQ(all_of(from.offset), all_of(expected.offset));
  for (std::size_t r = 0; r < 400; ++r) EXPECT_EQ(from.id[r], 7 * expected.id[r]);
}

TEST_F(rows_from_file, of_pieces_some_may_have_weights) {
  const test::toy_rows rows = long_tail(3, 70);
  csr_arrays plain = arrays_of(rows), weighed = plain;
  const std::vector<float> weight{2, 0, 5};
  weighed.weight = weight;
  const sparse_dataset data = rows_from(std::vector{plain, weighed, plain});
  std::vector<float> weights = all_of(data.view().weight);
  std::ranges::sort(weights);
  EXPECT_THAT(weights, ElementsAre(0, 1, 1, 1, 1, 1, 1, 2, 5));
  EXPECT_TRUE(rows_from(plain).view().weight.empty());
}

TEST_F(rows_from_file, lists_of_labels_go_along) {
  const test::toy_rows rows = test::planted_lists({.rows = 200}, 5);
  csr_arrays arrays = arrays_of(rows);
  arrays.label_start = rows.label_start;
  const std::string path = (folder.path() / "lists.svm").string();
  std::ofstream(path) << text_of(rows);
  const sparse_dataset data = rows_from(arrays), file = open_libsvm(path, {.cache = open_options::cache_use::none});
  const label_column a = data.view().label, b = file.view().label;
  ASSERT_TRUE(a.lists());
  EXPECT_EQ(all_of(a.table()), all_of(b.table()));
  for (std::size_t r = 0; r < 200; ++r) EXPECT_EQ(all_of(a.list(r)), all_of(b.list(r)));
}

/// A generated row, in a buffer that the next row overwrites.
struct made_row {
  std::vector<std::int32_t> index;
  std::vector<double> value;
  int label = 0;
  float weight = 1.0f;
};

/// Walks rows of arrays once, forwards, and may fail before one of them.
class maker {
 public:
  using value_type = made_row;
  using difference_type = std::ptrdiff_t;
  maker() = default;
  explicit maker(const test::toy_rows& rows, std::size_t fails_at = never) : rows_(&rows), fails_at_(fails_at) {
    make();
  }
  const made_row& operator*() const { return row_; }
  maker& operator++() {
    ++at_;
    make();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return at_ == rows_->rows(); }

 private:
  static constexpr auto never = static_cast<std::size_t>(-1);

  void make() {
    if (at_ == fails_at_) throw std::runtime_error("the source has gone");
    if (at_ == rows_->rows()) return;
    const auto first = static_cast<std::ptrdiff_t>(rows_->row_start[at_]);
    const auto last = static_cast<std::ptrdiff_t>(rows_->row_start[at_ + 1]);
    row_.index.assign(rows_->index.begin() + first, rows_->index.begin() + last);
    row_.value.assign(rows_->value.begin() + first, rows_->value.begin() + last);
    row_.label = static_cast<int>(rows_->label[at_]);
    row_.weight = static_cast<float>(at_);
  }

  const test::toy_rows* rows_ = nullptr;
  std::size_t fails_at_ = never, at_ = 0;
  made_row row_;
};

struct made_rows {
  const test::toy_rows& rows;
  std::size_t fails_at = static_cast<std::size_t>(-1);
  maker begin() const { return maker(rows, fails_at); }
  std::default_sentinel_t end() const { return {}; }
};

TEST_F(rows_from_file, a_range_that_is_walked_once_becomes_the_same) {
  const test::toy_rows rows = long_tail(900, 300);
  static_assert(!std::forward_iterator<maker>);
  const sparse_dataset made = rows_from(made_rows{rows}, {.first_column = 1});
  expect_same(made, of_text(rows));
  EXPECT_EQ(made.view().weight.size(), 900u);
}

TEST_F(rows_from_file, a_range_of_sparse_rows_becomes_the_same) {
  const test::toy_rows rows = long_tail(400, 300);
  const csr_rows held = rows.csr();
  row_cursor cursor(held.view());
  std::list<sparse_row<float>> all;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    all.push_back(cursor.row(r));
    all.back().id = 0;
  }
  const sparse_dataset data = rows_from(all, {.first_column = 1});
  expect_same(data, of_text(rows));
  EXPECT_TRUE(data.view().weight.empty() && data.view().offset.empty() && data.view().id.empty());
}

TEST(rows_from_range, refuses_numbers_of_rows_that_are_too_large) {
  const std::vector<std::uint32_t> column{0};
  const std::vector<float> one{1.0f};
  std::vector<sparse_row<float>> all(3, {.index = column, .value = one, .label = 1.0f});
  all[1].id = std::uint64_t{1} << 32;
  EXPECT_THAT(test::message_of<input_error>([&] { (void)rows_from(all); }),
              HasSubstr("row 2 has the number 4294967296"));
}

TEST(rows_from_range, what_it_throws_comes_through) {
  const test::toy_rows rows = long_tail(5, 300);
  const made_rows broken{rows, 3};
  EXPECT_THROW((void)rows_from(broken), std::runtime_error);
}

/// More rows than the memory limit allows: about 17 MiB.
struct many_rows : testing::Test {
  test::scratch_folder folder;
  test::toy_rows rows = long_tail(190'000, 5000);
  row_options options{.first_column = 1, .memory = std::uint64_t{16} << 20};
};

TEST_F(many_rows, go_to_files_and_become_the_same) {
  options.folder = folder.path();
  const sparse_dataset data = rows_from(arrays_of(rows), options);
  EXPECT_EQ(folder.entries(), 0u);
  EXPECT_THAT(std::filesystem::read_symlink(data.view().source->shared_path()).string(),
              HasSubstr(folder.path().string()));
  expect_same(data, rows_from(arrays_of(rows), {.first_column = 1}));
  const sparse_dataset tested =
      rows_from(arrays_of(rows),
                {.numbering = &data.numbering(), .first_column = 1, .memory = options.memory, .folder = folder.path()});
  expect_same(tested, rows_from(arrays_of(rows), {.numbering = &data.numbering(), .first_column = 1}));
}

TEST_F(many_rows, are_refused_where_there_is_no_folder) {
  const auto refusal = [&] {
    return test::message_of<resource_error>([&] { (void)rows_from(arrays_of(rows), options); });
  };
  EXPECT_THAT(refusal(), HasSubstr("the rows take more than 16 MiB of memory, and there is no file for them: no folder "
                                   "was named; give a folder for it, or more memory"));
  options.folder = folder.write("file", "no folder");
  EXPECT_THAT(refusal(), HasSubstr(options.folder.string()));
}

/// Where column numbers are replaced in place, the caller gets its arrays back: for training rows, test rows and files.
TEST_F(many_rows, leave_the_callers_arrays_as_they_are) {
  const test::toy_rows far = long_tail(3000, 2'000'000'000), near = rows, before = far;
  const auto expect_unchanged = [](const test::toy_rows& taken, const test::toy_rows& as) {
    EXPECT_TRUE(taken.index == as.index && taken.value == as.value);
  };
  const sparse_dataset data = rows_from(arrays_of(far));
  expect_unchanged(far, before);
  (void)rows_from(arrays_of(far), {.numbering = &data.numbering()});
  expect_unchanged(far, before);
  options.folder = folder.path();
  options.numbering = &data.numbering();
  (void)rows_from(arrays_of(rows), options);
  expect_unchanged(rows, near);
}

TEST_F(many_rows, in_any_order_of_columns_become_what_they_become_one_by_one) {
  for (const std::size_t r : {std::size_t{0}, rows.rows() / 2, rows.rows() - 1}) {
    const auto begin = rows.index.begin() + static_cast<std::ptrdiff_t>(rows.row_start[r]);
    std::reverse(begin, rows.index.begin() + static_cast<std::ptrdiff_t>(rows.row_start[r + 1]));
  }
  std::vector<sparse_row<float>> all;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::size_t first = rows.row_start[r], size = rows.row_start[r + 1] - first;
    all.push_back({.index = std::span(rows.index).subspan(first, size),
                   .value = std::span(rows.value).subspan(first, size),
                   .label = rows.label[r]});
  }
  expect_same(rows_from(arrays_of(rows)), rows_from(all));
}

struct refused_arrays : testing::Test {
  std::vector<std::int64_t> row_start{0, 2, 2, 5}, label_start{};
  std::vector<std::int64_t> index{0, 3, 1, 2, 3};
  std::vector<double> value{1, 2, 3, 4, 5};
  std::vector<double> label{-1, 1, 0.5};
  std::vector<float> weight{}, offset{};
  std::vector<std::uint32_t> id{};
  row_options options{.columns = 4};
  bool in_pieces = false;

  /// The error message. Arrays that would be borrowed must give the same one, where they can hold the numbers.
  std::string refusal() const {
    const std::vector<std::int32_t> narrow_index(index.begin(), index.end());
    const std::vector<float> narrow_value(value.begin(), value.end());
    const std::string wide = refusal_of(index, value);
    if (std::ranges::equal(narrow_index, index) && std::ranges::equal(narrow_value, value)) {
      EXPECT_EQ(refusal_of(narrow_index, narrow_value), wide);
    }
    return wide;
  }

  template <class Index, class Value>
  std::string refusal_of(const std::vector<Index>& columns, const std::vector<Value>& values) const {
    csr_arrays arrays{.row_start = row_start, .index = columns, .value = values, .label = label};
    arrays.label_start = label_start;
    arrays.weight = weight, arrays.offset = offset, arrays.id = id;
    return test::message_of([&] {
      (void)(in_pieces ? rows_from(std::vector{csr_arrays{}, arrays}, options) : rows_from(arrays, options));
    });
  }
};

TEST_F(refused_arrays, say_which_index_and_why) {
  EXPECT_EQ(refusal(), "accepted");
  index[3] = 4;
  EXPECT_EQ(refusal(), "the rows: index[3], in row 3, is 4, but there are only 4 columns (counted from 0)");
  index[3] = -2;
  EXPECT_EQ(refusal(), "the rows: index[3], in row 3, is -2; columns count from 0");
  in_pieces = true;
  options.name = "the batch";
  EXPECT_EQ(refusal(), "the batch: piece 2: index[3], in row 3, is -2; columns count from 0");
  index[3] = 3;
  EXPECT_EQ(refusal(),
            "the batch: piece 2: index[4], in row 3, is column 3 a second time; add its values up, or leave one out");
  std::swap(index[2], index[3]);  // in any order
  EXPECT_THAT(refusal(), HasSubstr("index[4], in row 3, is column 3 a second time"));
  std::swap(index[2], index[3]);
  options.columns = {};
  index[3] = std::int64_t{1} << 40;
  EXPECT_THAT(refusal(), HasSubstr("index[3], in row 3, is 1099511627776, but there are only 4294967294 columns"));
}

TEST_F(refused_arrays, say_which_number_is_none) {
  value[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(), "the rows: value[4], in row 3, is no finite number; leave the entry out, or the row");
  value[4] = 1e39;
  EXPECT_THAT(refusal(), HasSubstr("value[4], in row 3, is 1e+39, which single precision cannot hold; scale the data"));
  value[4] = HUGE_VAL;
  EXPECT_EQ(refusal(), "the rows: value[4], in row 3, is no finite number; leave the entry out, or the row");
  value[4] = 1;
  label[1] = HUGE_VAL;
  EXPECT_EQ(refusal(), "the rows: row 2 has a label that is no finite number; leave the row out");
  label[1] = 1;
  weight = {1, 1, -1};
  EXPECT_EQ(refusal(), "the rows: row 3 has a weight that is negative or no finite number; a weight is 0 or more");
  weight = {0, 0, 0};
  EXPECT_THAT(refusal(), HasSubstr("all weights are 0"));
  weight.clear();
  offset = {0, HUGE_VALF, 0};
  EXPECT_EQ(refusal(), "the rows: row 2 has an offset that is no finite number");
}

TEST_F(refused_arrays, say_which_sizes_do_not_fit) {
  const auto with = [&](auto& array, auto changed) {
    const auto before = std::exchange(array, changed);
    const std::string said = refusal();
    array = before;
    return said;
  };
  using whole = std::vector<std::int64_t>;
  EXPECT_EQ(with(value, std::vector<double>{1, 2}),
            "the rows: index has 5 numbers and value has 2; an entry has one of both");
  EXPECT_EQ(with(label, std::vector<double>{1}), "the rows: label has 1 numbers for 3 rows; give one a row");
  EXPECT_EQ(with(weight, std::vector<float>{1}), "the rows: weight has 1 numbers for 3 rows; give one a row");
  EXPECT_EQ(with(offset, std::vector<float>{1}), "the rows: offset has 1 numbers for 3 rows; give one a row");
  EXPECT_EQ(with(id, std::vector<std::uint32_t>{1}), "the rows: id has 1 numbers for 3 rows; give one a row");
  EXPECT_EQ(with(row_start, whole{0, 3, 2, 5}),
            "the rows: row_start[2] is 2, less than the one before it; it must ascend");
  EXPECT_EQ(with(row_start, whole{-1, 2, 2, 5}), "the rows: row_start[0] is -1; places count from 0");
  EXPECT_EQ(with(row_start, whole{0, 2, 2, 6}), "the rows: row_start[3] is 6, but there are only 5 numbers in index");
  EXPECT_EQ(with(row_start, whole{}), "the rows: label has 3 numbers for 0 rows; give one a row");
  EXPECT_EQ(with(label_start, whole{0, 1, 3}),
            "the rows: label_start tells of 2 rows and row_start of 3; both have one number more than there are rows");
  EXPECT_THAT(with(label_start, whole{0, 1, 1, 3}), HasSubstr("the list of labels of row 2 is empty"));
  EXPECT_THAT(with(label_start, whole{0, 1, 2, 3}), HasSubstr("row 3 has a list with a label that is no whole number"));
}

TEST_F(refused_arrays, say_that_there_are_no_rows) {
  row_start = {0}, index.clear(), value.clear(), label.clear();
  EXPECT_EQ(refusal(), "the rows: there are no rows; give one at least");
  EXPECT_THROW((void)rows_from(std::vector<csr_arrays>{}), input_error);
}

TEST_F(refused_arrays, say_which_options_do_not_go) {
  options.first_column = 2;
  EXPECT_THAT(refusal(), HasSubstr("columns count from 0 or from 1, not from 2"));
  options.first_column = 0, options.memory = 1000;
  EXPECT_THAT(refusal(), HasSubstr("they were given 1000 bytes"));
  options.memory = {};
  label.clear();
  EXPECT_EQ(refusal(), "the rows: label has 0 numbers for 3 rows; give one a row");
  options.labels_optional = true;
  EXPECT_EQ(refusal(), "accepted");
}

TEST(mixed_labels, lists_beside_numbers_are_refused) {
  const std::vector<std::uint64_t> start{0, 1}, index{0}, lists{0, 2};
  const std::vector<float> value{1}, one{0.5f}, two{3, 4};
  const csr_arrays plain{.row_start = start, .index = index, .value = value, .label = one};
  csr_arrays listed{.row_start = start, .index = index, .value = value, .label = two};
  listed.label_start = lists;
  EXPECT_THAT(test::message_of<input_error>([&] {
                (void)rows_from(std::vector{plain, listed});
              }),
              HasSubstr("piece 1: the label of row 1 is no whole number, but row 2 has a list of labels"));
}

}  // namespace
