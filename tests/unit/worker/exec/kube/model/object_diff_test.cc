// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/object_diff.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {
namespace {

Json changes(const char* before, const char* after) {
  return diff_objects(Json::parse(before), Json::parse(after))["changes"];
}

TEST(ObjectDiff, NamesEveryChangeByItsPath) {
  EXPECT_EQ(changes(R"({"spec": {"replicas": 1, "old": true, "same": [1]}})",
                    R"({"spec": {"replicas": 2, "new/x": "y", "same": [1]}})"),
            Json::parse(R"([
    {"op": "remove", "path": "/spec/old", "before": true},
    {"op": "replace", "path": "/spec/replicas", "before": 1, "after": 2},
    {"op": "add", "path": "/spec/new~1x", "after": "y"}])"));
  EXPECT_TRUE(changes("{}", "{}").empty());
}

TEST(ObjectDiff, MatchesItemsByWhatKubernetesMergesThemBy) {
  EXPECT_EQ(
      changes(R"({"containers": [{"name": "a", "image": "1"}, {"name": "b"}]})",
              R"({"containers": [{"name": "b"}, {"name": "a", "image": "2"}, {"name": "c"}]})"),
      Json::parse(R"([
    {"op": "replace", "path": "/containers/1/image", "before": "1", "after": "2",
     "item": {"name": "a"}},
    {"op": "add", "path": "/containers/2", "after": {"name": "c"}, "item": {"name": "c"}}])"));
  EXPECT_TRUE(
      changes(R"({"ports": [{"port": 80, "protocol": "TCP"}, {"port": 80, "protocol": "UDP"}]})",
              R"({"ports": [{"port": 80, "protocol": "UDP"}, {"port": 80, "protocol": "TCP"}]})")
          .empty());
}

TEST(ObjectDiff, ComparesOtherListsInOrder) {
  EXPECT_EQ(changes(R"({"args": ["a", "b", "d"]})", R"({"args": ["a", "b", "c", "d"]})"),
            Json::parse(R"([{"op": "add", "path": "/args/2", "after": "c"}])"));
  EXPECT_EQ(changes(R"({"args": ["a", "x"]})", R"({"args": ["x"]})"),
            Json::parse(R"([{"op": "remove", "path": "/args/0", "before": "a"}])"));
  // Two containers of one name are no key.
  EXPECT_EQ(changes(R"({"containers": [{"name": "a", "v": 1}, {"name": "a"}]})",
                    R"({"containers": [{"name": "a", "v": 2}, {"name": "a"}]})")[0]["path"],
            "/containers/0/v");
}

TEST(ObjectDiff, LeavesOutWhatTheServerKeeps) {
  EXPECT_TRUE(changes(R"({"metadata": {"resourceVersion": "1", "generation": 1, "name": "n"}})",
                      R"({"metadata": {"resourceVersion": "2", "uid": "u", "name": "n"}})")
                  .empty());
}

TEST(ObjectDiff, ShowsANewAndALostObjectAsOneChange) {
  EXPECT_EQ(diff_objects(Json(), {{"a", 1}})["changes"],
            Json::parse(R"([{"op": "add", "path": "", "after": {"a": 1}}])"));
  EXPECT_EQ(diff_objects({{"a", 1}}, Json())["changes"][0]["op"], "remove");
}

TEST(ObjectDiff, IsBounded) {
  Json before = Json::object();
  Json after = Json::object();
  for (int i = 0; i < 500; ++i) before[std::to_string(i)] = 1, after[std::to_string(i)] = 2;
  after["long"] = std::string(100'000, 'x');
  const Json diff = diff_objects(before, after, {.changes_max = 10, .value_bytes_max = 2048});
  EXPECT_EQ(diff["changes"].size(), 10u);
  EXPECT_EQ(diff["omitted"], 491);
  EXPECT_FALSE(diff.contains("omittedRemovals"));
  EXPECT_EQ(diff_objects(before, {{"0", 1}}, {.changes_max = 10})["omittedRemovals"], 489);
  const Json one = diff_objects({{"long", "y"}}, {{"long", after["long"]}});
  EXPECT_LT(dump_json(one).size(), 3000u);
  const auto variable = [](const char* value) {
    return Json{{"env", {{{"name", std::string(100'000, 'n')}, {"value", value}}}}};
  };
  EXPECT_LT(dump_json(diff_objects(variable("a"), variable("b"))).size(), 5000u) << "its item";
}

TEST(ObjectDiff, TellsHiddenValuesApartWithoutShowingThem) {
  const auto redacted = [](const char* text) {
    Redactor redactor(DigestKey{});
    return redactor.redact(Json::parse(text), {"", "Secret"});
  };
  const Json diff = diff_objects(redacted(R"({"data": {"a": "b25lLW9uZQ==", "b": "c2FtZQ=="}})"),
                                 redacted(R"({"data": {"a": "dHdvLXR3bw==", "b": "c2FtZQ=="}})"));
  ASSERT_EQ(diff["changes"].size(), 1u);
  EXPECT_EQ(diff["changes"][0]["path"], "/data/a/digest");
}

/// Takes the changes of two objects without keyed lists for a JSON patch.
Json applied(Json object, const Json& changes) {
  // From the back, so that indices stay what they are.
  Json removals = Json::array();
  Json patch = Json::array();
  for (const Json& change : changes) {
    Json step = {{"op", change["op"]}, {"path", change["path"]}};
    if (change.contains("after")) step["value"] = change["after"];
    if (change["op"] == "remove") {
      removals.insert(removals.begin(), step);
    } else {
      patch.push_back(step);
    }
  }
  return object.patch(removals).patch(patch);
}

Json random_object(Random& random, int depth) {
  if (depth == 0) return random.below(3);
  Json out = Json::object();
  for (std::size_t i = random.below(4); i > 0; --i) {
    const std::string key(1, static_cast<char>('a' + random.below(4)));
    if (random.below(3) == 0) {
      out[key] = Json::array();
      for (std::size_t j = random.below(4); j > 0; --j) out[key].push_back(random.below(3));
    } else {
      out[key] = random_object(random, depth - 1);
    }
  }
  return out;
}

TEST(ObjectDiff, IsThePatchFromOneObjectToTheOther) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    const Json before = random_object(random, 3);
    const Json after = random_object(random, 3);
    ASSERT_EQ(applied(before, diff_objects(before, after)["changes"]), after)
        << before << "\n"
        << after << "\n"
        << diff_objects(before, after);
  }
}

}  // namespace
}  // namespace filecall::worker::kube
