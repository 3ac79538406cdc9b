// SPDX-License-Identifier: MIT
#include "client/proposals/since_applied.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

Json change(const char* path, const char* operation, const char* base) {
  Json out = {{"path", path}, {"operation", operation}};
  if (base != nullptr) out["base_sha256"] = base;
  return out;
}

MadePart undone_by(Json undo) { return {"id", {std::move(undo), ""}, {Json::array(), ""}}; }

TEST(SinceApplied, ComparesAnUpdatedFileWithItsLastPartAndItsBase) {
  const Json updated = change("a", "update", "0");
  const std::vector<MadePart> parts = {undone_by(Json::array({change("a", "update", "1")})),
                                       undone_by(Json::array({change("a", "update", "2")}))};
  EXPECT_EQ(since_applied(updated, parts, "2"), SinceApplied::kMade);
  EXPECT_EQ(since_applied(updated, parts, "0"), SinceApplied::kBefore);
  EXPECT_EQ(since_applied(updated, parts, "1"), SinceApplied::kOther);
  EXPECT_EQ(since_applied(updated, parts, std::nullopt), SinceApplied::kOther);
}

TEST(SinceApplied, KnowsThatACreatedFileWasNotThereBefore) {
  const Json created = change("a", "create", nullptr);
  const std::vector<MadePart> parts = {undone_by(Json::array({change("a", "delete", "1")}))};
  EXPECT_EQ(since_applied(created, parts, "1"), SinceApplied::kMade);
  EXPECT_EQ(since_applied(created, parts, std::nullopt), SinceApplied::kBefore);
  EXPECT_EQ(since_applied(created, parts, "2"), SinceApplied::kOther);
}

TEST(SinceApplied, KnowsThatADeletedFileWasThereBefore) {
  const Json deleted = change("a", "delete", "0");
  const std::vector<MadePart> parts = {undone_by(Json::array({change("a", "create", nullptr)}))};
  EXPECT_EQ(since_applied(deleted, parts, std::nullopt), SinceApplied::kMade);
  EXPECT_EQ(since_applied(deleted, parts, "0"), SinceApplied::kBefore);
  EXPECT_EQ(since_applied(deleted, parts, "2"), SinceApplied::kOther);
}

TEST(SinceApplied, SaysNothingOfAFileThatNoPartChanged) {
  EXPECT_EQ(since_applied(change("b", "update", "0"),
                          {undone_by(Json::array({change("a", "update", "1")}))}, "0"),
            SinceApplied::kOther);
}

TEST(SinceApplied, NamesEachPathOnce) {
  const std::vector<MadePart> parts = {
      undone_by(Json::array({change("a", "update", "1"), change("b", "create", nullptr)})),
      undone_by(Json::array({change("a", "update", "2")}))};
  EXPECT_EQ(made_paths(parts), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace filecall::client
