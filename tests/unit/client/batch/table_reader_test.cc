// SPDX-License-Identifier: MIT
#include "client/batch/table_reader.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "ipc/json.h"
#include "os/io.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

std::vector<TableReader::Row> read_table(const std::string& text, char delimiter = ',',
                                         std::size_t row_bytes_max = 1 << 20) {
  UniqueFd file(::memfd_create("table", MFD_CLOEXEC));
  EXPECT_TRUE(write_all(file.get(), text, "table"));
  ::lseek(file.get(), 0, SEEK_SET);
  const auto reader = TableReader::open(std::move(file), "t.csv", delimiter, row_bytes_max);
  std::vector<TableReader::Row> rows;
  for (;;) {
    auto row = reader->next();
    EXPECT_TRUE(row);
    if (!row || !*row) return rows;
    rows.push_back(std::move(**row));
  }
}

TEST(TableReader, ReadsWhatTheStandardAllows) {
  const auto rows = read_table(
      "\xef\xbb\xbfid,text\r\n"
      "1,plain\r\n"
      "\r\n"
      "2,\"a \"\"quoted\"\", comma\r\nand line\"\n"
      "3, spaces \n"
      "4,");
  ASSERT_EQ(rows.size(), 4U);
  const std::pair<int, Json> expected[] = {
      {2, {{"id", "1"}, {"text", "plain"}}},
      {4, {{"id", "2"}, {"text", "a \"quoted\", comma\r\nand line"}}},
      {6, {{"id", "3"}, {"text", " spaces "}}},
      {7, {{"id", "4"}, {"text", ""}}},
  };
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].problem, "");
    EXPECT_EQ(rows[i].line, expected[i].first);
    EXPECT_EQ(Json::parse(rows[i].object), expected[i].second);
  }
}

TEST(TableReader, MakesValuesOfCellsWhoseColumnsHaveTypes) {
  const auto read = [](const std::string& text, const std::string& types) {
    UniqueFd file(::memfd_create("table", MFD_CLOEXEC));
    EXPECT_TRUE(write_all(file.get(), text, "table"));
    ::lseek(file.get(), 0, SEEK_SET);
    const auto reader =
        TableReader::open(std::move(file), "t.csv", ',', 1 << 20, *parse_column_types(types));
    std::vector<TableReader::Row> rows;
    for (auto row = reader->next(); row && *row; row = reader->next()) rows.push_back(**row);
    return rows;
  };
  const auto rows = read("name,n,tags\na,7,[1]\nb,x,[]\nc,,\ne,8,[\n", "n=integer,tags=json");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(Json::parse(rows[0].object), Json({{"name", "a"}, {"n", 7}, {"tags", {1}}}));
  EXPECT_EQ(rows[1].line, 3);
  EXPECT_THAT(rows[1].problem, HasSubstr("column 'n': 'x' is no integer"));
  EXPECT_EQ(Json::parse(rows[2].object), Json({{"name", "c"}, {"n", nullptr}, {"tags", nullptr}}));
  EXPECT_THAT(rows[3].problem, HasSubstr("column 'tags': '[' is no JSON"));
  const auto misspelt = read("name,n\na,7\n", "m=integer");
  ASSERT_EQ(misspelt.size(), 1U);
  EXPECT_THAT(misspelt[0].problem, HasSubstr("there is no column 'm'"));
}

TEST(TableReader, ReadsTabs) {
  const auto rows = read_table("a\tb\n1,5\t2\n", '\t');
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(Json::parse(rows[0].object), Json({{"a", "1,5"}, {"b", "2"}}));
}

TEST(TableReader, ATableOfAHeaderHasNoRows) {
  EXPECT_TRUE(read_table("").empty());
  EXPECT_TRUE(read_table("a,b\n").empty());
}

TEST(TableReader, SaysWhatIsWrongAndWhere) {
  struct Row {
    std::string text;
    std::int64_t line;
    const char* problem;
  };
  const Row rows[] = {
      {"a,b\n1,2\n1,2,3\n", 3, "has 3 fields; there are 2 columns"},
      {"a,b\n1\n", 2, "has 1 field; there are 2"},
      {"a,a\n1,2\n", 1, "two columns are called 'a'"},
      {"a,\n1,2\n", 1, "column 2 has no name"},
      {"a\n\n5\" pipe\n", 3, "a quote stands where none may be"},
      {"a\n\"open\nmore\n", 2, "opened and not closed"},
      {"a\n\xff\n", 2, "column 1 is not UTF-8"},
  };
  for (const Row& row : rows) {
    const auto found = read_table(row.text);
    ASSERT_FALSE(found.empty()) << row.text;
    EXPECT_THAT(found.back().problem, HasSubstr(row.problem)) << row.text;
    EXPECT_EQ(found.back().line, row.line) << row.text;
  }
}

TEST(TableReader, ARowThatNeverEndsIsToldBeforeItFillsMemory) {
  const auto rows = read_table("a\n\"" + std::string(100'000, 'x'), ',', 1000);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0].problem, HasSubstr("is a quote not closed?"));
}

}  // namespace
}  // namespace filecall::client
