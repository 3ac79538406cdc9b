// SPDX-License-Identifier: MIT
#include "client/batch/column_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using testing::HasSubstr;

TEST(ColumnTypes, AreReadFromAList) {
  const auto types = parse_column_types("year=integer,a=b=json,x y=text");
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_EQ(column_types_json(*types),
            Json({{"year", "integer"}, {"a=b", "json"}, {"x y", "text"}}));
}

TEST(ColumnTypes, AreRefusedWithWhatIsWrong) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "names no column and type"},
      {"year", "names no column and type"},
      {"=integer", "names no column"},
      {"year=integer,", "names no column"},
      {"year=int", "year: 'int' is no type"},
      {"year=int", "integer"},
      {"year=", "is no type"},
      {"a=text,a=json", "'a' is there twice"},
  };
  for (const auto& [list, says] : kCases) {
    const auto types = parse_column_types(list);
    ASSERT_FALSE(types) << list;
    EXPECT_THAT(types.error().message, HasSubstr(says)) << list;
  }
}

TEST(ColumnTypes, AreReadFromAFile) {
  const auto types = parse_column_type_file("year: integer\n\"a b\": json\n", "t.yaml");
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_EQ(column_types_json(*types), Json({{"year", "integer"}, {"a b", "json"}}));
  const std::pair<const char*, const char*> kCases[] = {
      {"year: integre\n", "t.yaml:1:7: year: 'integre' is no type; did you mean integer?"},
      {"a: text\nb: 3\n", "t.yaml:2:4: b: '3' is no type"},
      {"", "names no column"},
      {"- a\n", "must be a mapping"},
  };
  for (const auto& [text, says] : kCases) {
    const auto bad = parse_column_type_file(text, "t.yaml");
    ASSERT_FALSE(bad) << text;
    EXPECT_THAT(bad.error().message, HasSubstr(says)) << text;
  }
}

TEST(ColumnTypes, MakeValuesOfCells) {
  const struct {
    ColumnType type;
    const char* cell;
    Json value;
  } kCases[] = {
      {ColumnType::kText, " 7 ", " 7 "},
      {ColumnType::kText, "", ""},
      {ColumnType::kInteger, "7", 7},
      {ColumnType::kInteger, " -12 ", -12},
      {ColumnType::kInteger, "007", 7},
      {ColumnType::kInteger, "18446744073709551615", 18446744073709551615ULL},
      {ColumnType::kInteger, "", nullptr},
      {ColumnType::kNumber, "7", 7},
      {ColumnType::kNumber, "7.50", 7.5},
      {ColumnType::kNumber, "-1e3", -1000.0},
      {ColumnType::kNumber, "\t", nullptr},
      {ColumnType::kBoolean, "TRUE", true},
      {ColumnType::kBoolean, "false", false},
      {ColumnType::kBoolean, " True", true},
      {ColumnType::kBoolean, "", nullptr},
      {ColumnType::kJson, "[1, \"a\"]", {1, "a"}},
      {ColumnType::kJson, "\"a\"", "a"},
      {ColumnType::kJson, "null", nullptr},
  };
  for (const auto& one : kCases) {
    const auto value = typed_cell(one.cell, one.type);
    ASSERT_TRUE(value) << one.cell << ": " << value.error();
    EXPECT_EQ(*value, one.value) << one.cell;
    EXPECT_EQ(value->type(), one.value.type()) << one.cell;
  }
}

TEST(ColumnTypes, RefuseCellsThatAreNone) {
  const std::pair<ColumnType, const char*> kCases[] = {
      {ColumnType::kInteger, "7.0"},  {ColumnType::kInteger, "1,000"},
      {ColumnType::kInteger, "7 8"},  {ColumnType::kInteger, "+7"},
      {ColumnType::kInteger, "0x10"}, {ColumnType::kInteger, "99999999999999999999"},
      {ColumnType::kNumber, "nan"},   {ColumnType::kNumber, "inf"},
      {ColumnType::kNumber, "1e999"}, {ColumnType::kNumber, "7 %"},
      {ColumnType::kBoolean, "yes"},  {ColumnType::kBoolean, "1"},
      {ColumnType::kJson, "{"},       {ColumnType::kJson, "{'a': 1}"},
      {ColumnType::kJson, "[1] [2]"},
  };
  for (const auto& [type, cell] : kCases) EXPECT_FALSE(typed_cell(cell, type)) << cell;
}

}  // namespace
}  // namespace filecall::client
