// SPDX-License-Identifier: MIT
#include "spool/layout.h"

#include <gtest/gtest.h>

namespace filecall::spool {
namespace {

TEST(Layout, ReadsStemsAndLeavesForeignNamesAlone) {
  const struct {
    std::string name;
    std::optional<std::string> stem;
  } rows[] = {
      {"a.json", "a"},
      {"a.b.json", "a.b"},
      {"a.json.json", "a.json"},
      {"ä ö.json", "ä ö"},
      {std::string(200, 'x') + ".json", std::string(200, 'x')},
      {std::string(201, 'x') + ".json", {}},
      {".json", {}},
      {".hidden.json", {}},
      {"a", {}},
      {"a.JSON", {}},
      {"a.json~", {}},
      {"a.json.tmp", {}},
      {"a\n.json", {}},
      {"\xff.json", {}},
      {"", {}},
      {Layout::temporary_name(1, 2), {}},
  };
  for (const auto& row : rows) {
    const auto stem = Layout::stem_of(row.name);
    EXPECT_EQ(stem.has_value(), row.stem.has_value()) << row.name;
    if (stem && row.stem) {
      EXPECT_EQ(*stem, *row.stem);
      EXPECT_EQ(Layout::file_name(*stem), row.name);
    }
  }
}

TEST(Layout, DropsTrailingSlashes) {
  EXPECT_EQ(Layout("/r//").requests(), "/r/requests");
  EXPECT_EQ(Layout("/").root(), "/");
  EXPECT_EQ(Layout("r").response("x"), "r/responses/x.json");
}

TEST(Layout, ReadsThreadsAndLeavesForeignNamesAlone) {
  const struct {
    std::string name;
    std::optional<std::string> thread;
  } rows[] = {
      {"default.jsonl", "default"},
      {"a.b.jsonl", "a.b"},
      {std::string(200, 'x') + ".jsonl", std::string(200, 'x')},
      {std::string(201, 'x') + ".jsonl", {}},
      {"default.lock", {}},
      {"default.jsonl.torn-1", {}},
      {".jsonl", {}},
      {".hidden.jsonl", {}},
      {"data", {}},
      {"a.json", {}},
  };
  for (const auto& row : rows) {
    const auto thread = Layout::thread_of_name(row.name);
    EXPECT_EQ(thread.has_value(), row.thread.has_value()) << row.name;
    if (thread && row.thread) {
      EXPECT_EQ(*thread, *row.thread);
      EXPECT_EQ(Layout("/r").thread(*thread), "/r/threads/" + row.name);
    }
  }
}

TEST(Layout, KeepsWhatIsOfOneUserInItsHome) {
  const Layout layout("/r", "/r/users/7");
  for (const std::string& path :
       {layout.thread("t"), layout.thread_lock("t"), layout.thread_data("ab"),
        layout.thread_of_run("run-1"), layout.approval_request("run-1.2"),
        layout.approval_response("run-1.2"), layout.approvals_refused(), layout.proposal("p"),
        layout.client_approval_key()}) {
    EXPECT_TRUE(path.starts_with("/r/users/7/")) << path;
  }
  EXPECT_EQ(layout.approval_request("run-1.2"), "/r/users/7/approvals/requests/run-1.2.json");
}

TEST(Layout, KnowsItsTemporaries) {
  EXPECT_TRUE(Layout::is_temporary(Layout::temporary_name(123, 7)));
  EXPECT_FALSE(Layout::is_temporary(".other.tmp"));
  EXPECT_FALSE(Layout::is_temporary("a.json"));
  EXPECT_TRUE(Layout::is_temporary(Layout::cookie_name(123, 7)));
  EXPECT_TRUE(Layout::is_cookie(Layout::cookie_name(123, 7)));
  EXPECT_FALSE(Layout::is_cookie(Layout::temporary_name(123, 7)));
}

TEST(StartRecordName, ReadsBackWhatItFormats) {
  for (const char* stem : {"a", "a.b", "a.2.none", "x.1.external", "1", "ä"}) {
    for (const int starts : {1, 2, 10, 999999}) {
      for (const Effects effects : {Effects::kNone, Effects::kExternal}) {
        const StartRecordName record{stem, starts, effects};
        EXPECT_EQ(StartRecordName::parse(record.format()), record) << record.format();
      }
    }
  }
}

TEST(StartRecordName, RefusesOtherNames) {
  for (const char* name :
       {"", "a", "a.1", "a.none", "a.0.none", "a.-1.none", "a.01.none", "a.1.some", ".1.none",
        "a.1000000.none", "a.1x.none", "..1.none", "a..none", "a.1.none.tmp"}) {
    EXPECT_FALSE(StartRecordName::parse(name)) << name;
  }
}

TEST(ChooseRoot, PrefersTheOptionThenTheVariable) {
  EXPECT_EQ(choose_root("/a", "/b"), "/a");
  EXPECT_EQ(choose_root("", "/b"), "/b");
  EXPECT_EQ(choose_root("", ""), kDefaultRoot);
  EXPECT_EQ(choose_root("", nullptr), kDefaultRoot);
}

}  // namespace
}  // namespace filecall::spool
