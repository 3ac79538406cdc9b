// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/table_rows.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall::worker::kube {
namespace {

Json table_of(const std::string& restarts, const std::string& rows) {
  return Json::parse(R"({"kind": "Table", "columnDefinitions": [
    {"name": "Name", "priority": 0}, {"name": "Ready"}, {"name": ")" +
                     restarts + R"("}, {"name": "IP", "priority": 1}], "rows": )" + rows + "}");
}

TEST(TableRows, KeepsTheColumnsThatKubectlShows) {
  const TableRows rows = table_rows(table_of("Age", R"([{"cells": ["a", "1/1", "2d", "::1"],
                           "object": {"metadata": {"namespace": "shop"}}}, {"cells": ["b"]}, 7])"),
                                    true);
  EXPECT_EQ(rows.columns, Json::parse(R"(["Namespace", "Name", "Ready", "Age"])"));
  EXPECT_EQ(rows.rows, Json::parse(R"([["shop", "a", "1/1", "2d"], ["", "b", null, null],
                                       ["", null, null, null]])"));
  EXPECT_EQ(table_rows(Json(), false).rows, Json::array());
}

TEST(TableRows, PartsTheNumberOfRestartsFromTheTime) {
  const struct {
    std::string cells;
    std::string columns;
    std::string rows;
  } cases[] = {
      {R"json([{"cells": ["a", "1/1", "3 (5d4h ago)"]}, {"cells": ["b", "1/1", "0"]}])json",
       R"json(["Name", "Ready", "Restarts", "Last Restart"])json",
       R"json([["a", "1/1", 3, "5d4h"], ["b", "1/1", 0, null]])json"},
      {R"json([{"cells": ["a", "1/1", 3]}, {"cells": ["b", "1/1", "0"]}])json",
       R"json(["Name", "Ready", "Restarts"])json", R"json([["a", "1/1", 3], ["b", "1/1", 0]])json"},
      // What has another form stays as it is, in all rows.
      {R"json([{"cells": ["a", "1/1", "3 (5d ago)"]}, {"cells": ["b", "1/1", "<unknown>"]}])json",
       R"json(["Name", "Ready", "Restarts"])json",
       R"json([["a", "1/1", "3 (5d ago)"], ["b", "1/1", "<unknown>"]])json"},
      {R"json([{"cells": ["a", "1/1", "3 (ago)"]}])json",
       R"json(["Name", "Ready", "Restarts"])json", R"json([["a", "1/1", "3 (ago)"]])json"},
      {R"json([{"cells": ["a"]}])json", R"json(["Name", "Ready", "Restarts"])json",
       R"json([["a", null, null]])json"},
  };
  for (const auto& one : cases) {
    TableRows rows = table_rows(table_of("Restarts", one.cells), false);
    split_restarts(rows);
    EXPECT_EQ(rows.columns, Json::parse(one.columns)) << one.cells;
    EXPECT_EQ(rows.rows, Json::parse(one.rows)) << one.cells;
  }
}

TEST(TableRows, SaysOnceWhatAllRowsHave) {
  TableRows rows{Json::parse(R"(["Namespace", "Name", "Ready", "Age", "X", "X"])"),
                 Json::parse(R"([["n", "a", "1/1", "2d", 1, 1], ["n", "b", "1/1", "3d", 1, 1]])")};
  TableRows few = rows;
  EXPECT_EQ(take_equal_columns(few, 3), Json::object());
  EXPECT_EQ(few.rows, rows.rows);
  EXPECT_EQ(take_equal_columns(rows, 2), Json::parse(R"({"Ready": "1/1"})"));
  EXPECT_EQ(rows.columns, Json::parse(R"(["Namespace", "Name", "Age", "X", "X"])"));
  EXPECT_EQ(rows.rows, Json::parse(R"([["n", "a", "2d", 1, 1], ["n", "b", "3d", 1, 1]])"));
}

}  // namespace
}  // namespace filecall::worker::kube
