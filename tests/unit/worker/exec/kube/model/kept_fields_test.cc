// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/kept_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> missing(const char* sent, const char* stored) {
  return fields_not_kept(Json::parse(sent), Json::parse(stored));
}

TEST(KeptFields, NamesWhatTheServerDropped) {
  EXPECT_THAT(missing(R"({"spec": {"foo": 1, "replicas": 2}, "a/b": "x"})",
                      R"({"spec": {"replicas": 2}, "status": {}})"),
              ElementsAre("/a~1b", "/spec/foo"));
  EXPECT_THAT(missing(R"({"spec": {"a": {"b": {"c": 1}}}})", R"({"spec": {"a": {"b": {}}}})"),
              ElementsAre("/spec/a/b/c"));
  EXPECT_THAT(missing(R"({"spec": {"a": 1}})", R"({})"), ElementsAre("/spec"));
}

TEST(KeptFields, AreThereWhereTheServerWritesThemInAnotherWay) {
  EXPECT_THAT(
      missing(R"({"spec": {"cpu": 1, "port": "80"}})", R"({"spec": {"cpu": "1", "port": 80}})"),
      IsEmpty());
  EXPECT_THAT(missing(R"({"data": {"k": "secret"}})",
                      R"({"data": {"k": {"redacted": true, "bytes": 6, "digest": "d"}}})"),
              IsEmpty());
}

TEST(KeptFields, NeedNotBeThereWhenTheySayNothing) {
  EXPECT_THAT(
      missing(R"({"spec": {"a": null, "b": false, "c": 0, "d": "", "e": [], "f": {"g": {}}}})",
              R"({"spec": {}})"),
      IsEmpty());
}

TEST(KeptFields, DoNotCountWhatTheServerKeepsItself) {
  EXPECT_THAT(
      missing(R"({"apiVersion": "v1", "kind": "Secret", "stringData": {"a": "b"}, "metadata": {
                          "namespace": "n", "annotations": {"a": "b"}, "uid": "u"}})",
              R"({"metadata": {}})"),
      IsEmpty());
  EXPECT_THAT(missing(R"({"metadata": {"foo": "x"}})", R"({"metadata": {}})"),
              ElementsAre("/metadata/foo"));
}

TEST(KeptFields, AreLookedForInListsInWhateverOrder) {
  EXPECT_THAT(missing(R"({"l": [{"name": "a", "x": 1, "foo": 1}, {"name": "b", "y": 1}]})",
                      R"({"l": [{"name": "b", "y": 1}, {"name": "a", "x": 1}]})"),
              ElementsAre("/l/0/foo"));
  EXPECT_THAT(missing(R"({"l": [{"name": "a"}]})", R"({"l": [{"name": "b"}, {"name": "a"}]})"),
              IsEmpty());
}

TEST(KeptFields, AreLookedForInBoundedTime) {
  // Each list is compared with each: 30 to the power of 6 comparisons without a bound.
  const auto nested = [](const char* leaf) {
    Json out = {{leaf, 1}};
    for (int depth = 0; depth < 3; ++depth) {
      Json list = Json::array();
      for (int i = 0; i < 30; ++i) list.push_back(out);
      out = {{"items", std::move(list)}};
    }
    return out;
  };
  bool is_whole = true;
  (void)fields_not_kept(nested("sent"), nested("stored"), &is_whole);
  EXPECT_FALSE(is_whole);
  EXPECT_TRUE(fields_not_kept(nested("same"), nested("same"), &is_whole).empty());
  EXPECT_TRUE(is_whole) << "what stands in its place needs no search";
}

TEST(KeptFields, SayWhenTheyWereNotAllComparedAtAll) {
  Json sent = Json::array();
  Json stored = Json::array();
  for (int i = 0; i < 51; ++i) {
    sent.push_back({{"name", i}, {"dropped", "x"}});
    stored.push_back({{"name", i}});
  }
  EXPECT_NE(not_kept_warning({{"spec", {{"items", sent}}}}, {{"spec", {{"items", stored}}}}), "");
}

TEST(KeptFields, AreToldInFewWords) {
  Json sent;
  for (int i = 0; i < 12; ++i) sent[std::string(1, static_cast<char>('a' + i))] = 1;
  EXPECT_THAT(not_kept_warning(sent, Json::object()), HasSubstr("/a, /b"));
  EXPECT_THAT(not_kept_warning(sent, Json::object()), HasSubstr("/j and 2 more"));
  EXPECT_EQ(not_kept_warning(sent, sent), "");
}

}  // namespace
}  // namespace filecall::worker::kube
