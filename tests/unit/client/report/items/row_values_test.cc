// SPDX-License-Identifier: MIT
#include "client/report/items/row_values.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

RowValues rows(const std::vector<std::pair<std::uint64_t, Json>>& all) {
  RowValues values;
  for (const auto& [item, vars] : all) values.add(item, vars);
  return values;
}

TEST(RowValues, FindsAValueThatDiffers) {
  const RowValues a = rows({{1, {{"city", "Nairobi"}, {"n", 3}}}, {2, {{"city", "Oslo"}}}});
  const RowValues b = rows({{1, {{"city", "Mombasa"}, {"n", "4"}}}, {2, {{"city", "Oslo"}}}});
  const auto found = RowValues::between(a, b, 5);
  ASSERT_EQ(found.count, 1U);
  EXPECT_EQ(found.first[0].item, 1U);
  EXPECT_EQ(found.first[0].columns, (std::vector<std::string>{"city", "n"}));
  EXPECT_EQ(row_differences_text(found, {{1, "ke"}}).substr(0, 78),
            "1 item has other values in the rows of A than in those of B: ke (city, n). The");
}

TEST(RowValues, TakeAnAddedColumnAnotherTypeAndAnotherItemForNoDifference) {
  const RowValues a = rows({{1, {{"n", 3}}}, {2, {{"n", 1}}}});
  const RowValues b = rows({{1, {{"n", "3"}, {"lang", "en"}}}, {3, {{"n", 2}}}, {4, nullptr}});
  EXPECT_EQ(RowValues::between(a, b, 5).count, 0U);
  EXPECT_EQ(row_differences_text(RowValues::between(a, b, 5), {}), "");
}

TEST(RowValues, NameAFewAndCountAll) {
  RowValues a;
  RowValues b;
  std::map<std::uint64_t, std::string> names;
  for (std::uint64_t i = 0; i < 9; ++i) {
    a.add(i, {{"city", "x"}});
    b.add(i, {{"city", "y"}});
    names[i] = "q" + std::to_string(i);
  }
  const auto found = RowValues::between(a, b, 2);
  EXPECT_EQ(found.count, 9U);
  EXPECT_EQ(found.first.size(), 2U);
  EXPECT_NE(row_differences_text(found, names).find("q0 (city), q1 (city), and 7 more."),
            std::string::npos);
}

}  // namespace
}  // namespace filecall::client
