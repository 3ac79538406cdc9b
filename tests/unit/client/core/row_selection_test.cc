// SPDX-License-Identifier: MIT
#include "client/core/row_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace filecall::client {
namespace {

using testing::IsEmpty;

TEST(ColumnFilter, IsReadWithItsSign) {
  const auto is = parse_column_filter("lang=de=x");
  EXPECT_EQ(is->column, "lang");
  EXPECT_EQ(is->value, "de=x");
  EXPECT_FALSE(is->is_negated);
  const auto is_not = parse_column_filter("lang!=");
  EXPECT_EQ(is_not->column, "lang");
  EXPECT_TRUE(is_not->is_negated && is_not->value.empty());
  for (const char* none : {"", "lang", "=x", "!=x"})
    EXPECT_FALSE(parse_column_filter(none)) << none;
}

TEST(ColumnFilter, FindsColumnsOfRowsAndOfRequests) {
  const Json row = {{"lang", "de"},
                    {"n", 3},
                    {"metadata", {{"suite", "a"}, {"vars", {{"city", "Bonn"}}}}},
                    {"body", {{"model", "m"}}}};
  const auto fits = [&row](const char* text) {
    return fits_filters(row, {*parse_column_filter(text)});
  };
  for (const char* yes :
       {"lang=de", "n=3", "suite=a", "city=Bonn", "body.model=m", "lang!=fr", "nothing!=x"}) {
    EXPECT_TRUE(fits(yes)) << yes;
  }
  for (const char* no : {"lang=fr", "n=4", "nothing=", "body.nothing=m", "lang!=de"}) {
    EXPECT_FALSE(fits(no)) << no;
  }
  EXPECT_FALSE(fits_filters(row, {*parse_column_filter("lang=de"), *parse_column_filter("n=4")}));
}

std::set<int> sample(int rows, std::int64_t size, std::uint64_t seed) {
  SampleBound bound(size);
  const auto rank = [&](int row) { return sample_rank(std::to_string(row), seed); };
  for (int row = 0; row < rows; ++row) bound.add(rank(row));
  std::set<int> taken;
  for (int row = 0; row < rows; ++row) {
    if (bound.takes(rank(row))) taken.insert(row);
  }
  return taken;
}

TEST(SampleBound, DrawsAsManyAsAreAskedForAndTheSameEachTime) {
  for (const int size : {1, 10, 99, 100, 1000}) {
    EXPECT_EQ(sample(100, size, 7).size(), static_cast<std::size_t>(std::min(size, 100))) << size;
    EXPECT_EQ(sample(100, size, 7), sample(100, size, 7));
  }
  EXPECT_NE(sample(100, 10, 7), sample(100, 10, 8));
}

TEST(SampleBound, ASmallerSampleIsAPartOfALargerOne) {
  const auto small = sample(1000, 50, 1);
  const auto large = sample(1000, 100, 1);
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
}

TEST(SampleBound, OfEqualRowsTheFirstAreDrawn) {
  SampleBound bound(2);
  for (int i = 0; i < 5; ++i) bound.add(9);
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_TRUE(bound.takes(9));
    EXPECT_TRUE(bound.takes(9));
    EXPECT_FALSE(bound.takes(9));
    bound.rewind();
  }
}

TEST(RowSelection, IsSaidForPeopleAsItWasRecorded) {
  EXPECT_THAT(selection_text(selection_json({})), IsEmpty());
  const RowSelection selection{
      .filters = {*parse_column_filter("a!=b")}, .sample = 100, .sample_seed = 3, .limit = 10};
  EXPECT_EQ(selection_text(selection_json(selection)),
            "filter a!=b, sample 100 (seed 3), limit 10");
}

}  // namespace
}  // namespace filecall::client
