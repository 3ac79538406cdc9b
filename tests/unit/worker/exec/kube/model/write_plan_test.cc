// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/write_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/model/patch_reading.h"
#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

const Json kManifest = {{"kind", "ConfigMap"}, {"metadata", {{"name", "c"}}}};

WritePlan planned(WriteStrategy strategy, const Json& body, const Precondition& precondition = {},
                  const WriteOptions& options = {}) {
  auto plan = plan_write(strategy, body, precondition, options);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return plan ? *plan : WritePlan();
}

TEST(WritePlan, AppliesAsKubectlDoes) {
  const WritePlan plan = planned(WriteStrategy::kApply, kManifest);
  EXPECT_EQ(plan.method, "PATCH");
  EXPECT_EQ(plan.content_type, "application/apply-patch+yaml");
  EXPECT_EQ(
      plan.query,
      (Query{{"fieldManager", "filecall"}, {"fieldValidation", "Strict"}, {"force", "false"}}));
  EXPECT_EQ(plan.body, kManifest);
  EXPECT_EQ(plan.query_for(true).back(), (std::pair<std::string, std::string>("dryRun", "All")));
  EXPECT_EQ(plan.query_for(false), plan.query);
}

TEST(WritePlan, CreatesWithoutForce) {
  const WritePlan plan = planned(WriteStrategy::kCreate, kManifest);
  EXPECT_EQ(plan.method, "POST");
  EXPECT_EQ(plan.query, (Query{{"fieldManager", "filecall"}, {"fieldValidation", "Strict"}}));
}

TEST(WritePlan, CarriesPreconditionsInEveryForm) {
  const Precondition both{"u", "7"};
  const Json metadata = {{"name", "c"}, {"uid", "u"}, {"resourceVersion", "7"}};
  EXPECT_EQ(planned(WriteStrategy::kApply, kManifest, both).body["metadata"], metadata);
  EXPECT_EQ(planned(WriteStrategy::kMerge, {{"spec", nullptr}}, both).body,
            Json({{"spec", nullptr}, {"metadata", {{"uid", "u"}, {"resourceVersion", "7"}}}}));
  const Json operation = {{"op", "remove"}, {"path", "/spec/x"}};
  const Json patch = planned(WriteStrategy::kJson, Json::array({operation}), both).body;
  ASSERT_EQ(patch.size(), 3u);
  EXPECT_EQ(patch[0], Json({{"op", "test"}, {"path", "/metadata/uid"}, {"value", "u"}}));
  EXPECT_EQ(patch[2], operation);
  EXPECT_EQ(planned(WriteStrategy::kDelete, nullptr, both).body["preconditions"],
            Json({{"uid", "u"}, {"resourceVersion", "7"}}));
}

TEST(WritePlan, TellsADryRunWhereTheServerLooksForIt) {
  const WritePlan apply = planned(WriteStrategy::kApply, kManifest);
  EXPECT_EQ(apply.body_text(true), apply.body_text(false));
  const WritePlan removal = planned(WriteStrategy::kDelete, nullptr);
  EXPECT_EQ(removal.query_for(true), removal.query_for(false));
  EXPECT_EQ(Json::parse(removal.body_text(true))["dryRun"], Json::array({"All"}));
  EXPECT_FALSE(Json::parse(removal.body_text(false)).contains("dryRun"));
}

TEST(WritePlan, RefusesHalfAPreconditionForAnApply) {
  EXPECT_FALSE(plan_write(WriteStrategy::kApply, kManifest, {"", "7"}, {}));
  EXPECT_FALSE(plan_write(WriteStrategy::kApply, kManifest, {"u", ""}, {}));
  EXPECT_TRUE(plan_write(WriteStrategy::kMerge, kManifest, {"", "7"}, {}));
}

TEST(WritePlan, RefusesPatchesOfTheWrongForm) {
  EXPECT_FALSE(plan_write(WriteStrategy::kMerge, Json::array(), {}, {}));
  EXPECT_FALSE(plan_write(WriteStrategy::kMerge, {{"metadata", 1}}, {}, {}));
  EXPECT_FALSE(plan_write(WriteStrategy::kJson, Json::object(), {}, {}));
  EXPECT_FALSE(plan_write(WriteStrategy::kJson, Json::array(), {}, {}));
  EXPECT_FALSE(plan_write(WriteStrategy::kJson, Json::array({{{"op", "add"}}}), {}, {}));
}

/// The mistake of a patch of this object, as answers would show the object.
std::string mistake_of(const char* operations, const Json& object, const ObjectKind& kind) {
  const Json shown = Redactor(DigestKey()).redact(object, kind);
  return reading_mistake(Json::parse(operations), {object, shown, kind.kind == "Secret"});
}

const Json kVaried = Json::parse(R"({"kind": "Deployment", "metadata": {"name": "api",
    "labels": {"app": "api"}, "annotations": {"example.com/db-password": "wide-Owl-31",
    "example.com/~note": "none", "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
  "spec": {"image": "i", "args": ["--port", "80", "--password", "wide-Owl-31"], "env": [
    {"name": "MODE", "value": "fast"}, {"name": "DB_PASSWORD", "value": "green-cat-7"}]}})");

TEST(PatchReading, RefusesWhatAnswersHide) {
  for (
      const char* operations :
      {R"([{"op": "copy", "from": "/spec/env/1/value", "path": "/metadata/labels/x"}])",
       R"([{"op": "move", "from": "/spec/env/1/value", "path": "/spec/image"}])",
       R"([{"op": "test", "path": "/spec/env/1/value", "value": "green-cat-7"}])",
       R"([{"op": "copy", "from": "/spec/env/1", "path": "/x"}])",
       R"([{"op": "copy", "from": "/spec", "path": "/x"}])",
       R"([{"op": "test", "path": "", "value": {}}])",
       R"([{"op": "copy", "from": "spec/env/1/value", "path": "/metadata/labels/x"}])",
       R"([{"op": "copy", "path": "/metadata/labels/x"}])",
       R"([{"op": "copy", "from": "/spec/env/1/value/deeper", "path": "/x"}])",
       R"([{"op": "copy", "from": "/spec/env/-1/value", "path": "/x"}])",
       R"([{"op": "copy", "from": "/spec/env/+1/value", "path": "/x"}])",
       R"([{"op": "copy", "from": "/spec/env/01/value", "path": "/x"}])",
       R"([{"op": "copy", "from": "/spec/env/-/value", "path": "/x"}])",
       R"([{"op": "copy", "from": "/spec/args/3", "path": "/x"}])",
       R"([{"op": "copy", "from": "/metadata/annotations/example.com~1db-password", "path": "/"}])",
       R"([{"op": "copy", "path": "/x",
             "from": "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"}])",
       // What a list holds at an index changes while the patch is applied.
       R"([{"op": "remove", "path": "/spec/env/0"},
            {"op": "copy", "from": "/spec/env/0/value", "path": "/x"}])",
       R"([{"op": "add", "path": "/spec/env/0", "value": {"name": "A"}},
            {"op": "copy", "from": "/spec/env/2/value", "path": "/x"}])"}) {
    EXPECT_THAT(mistake_of(operations, kVaried, {"apps", "Deployment"}),
                testing::StartsWith("/params/patch/"))
        << operations;
  }
  EXPECT_THAT(mistake_of(R"([{"op": "copy", "from": "/spec/image", "path": "/a"},
                             {"op": "copy", "from": "/spec/env/1/value", "path": "/a"},
                             {"op": "copy", "from": "/a", "path": "/metadata/labels/x"}])",
                         kVaried, {"apps", "Deployment"}),
              testing::StartsWith("/params/patch/1/from: copy would show"));
}

TEST(PatchReading, AllowsWhatAnswersShow) {
  for (const char* operations :
       {R"([{"op": "copy", "from": "/spec/image", "path": "/metadata/labels/x"}])",
        R"([{"op": "test", "path": "/spec/env/0/value", "value": "fast"}])",
        R"([{"op": "test", "path": "/spec/env/1/name", "value": "DB_PASSWORD"}])",
        R"([{"op": "test", "path": "/metadata/annotations/example.com~1~0note", "value": "none"}])",
        R"([{"op": "add", "path": "/metadata/labels/x", "value": "1"},
            {"op": "test", "path": "/metadata/labels/x", "value": "1"}])",
        R"([{"op": "replace", "path": "/spec/env/1/value", "value": "new"},
            {"op": "remove", "path": "/spec/env/1"}])",
        R"([{"op": "move", "from": "/metadata/labels", "path": "/metadata/annotations/x"}])"}) {
    EXPECT_EQ(mistake_of(operations, kVaried, {"apps", "Deployment"}), "") << operations;
  }
  EXPECT_FALSE(reads_object(Json::parse(R"([{"op": "add", "path": "/a"}, 7])")));
  EXPECT_TRUE(reads_object(Json::parse(R"([{"op": "add"}, {"op": "test", "path": "/a"}])")));
  EXPECT_FALSE(reads_object(Json::parse(R"({"op": "test"})")));
}

TEST(PatchReading, RefusesAllThatASecretHolds) {
  const Json secret = Json::parse(
      R"({"metadata": {"name": "db", "labels": {"a": "b"}}, "data": {"p": "YmxhYmxh"}})");
  for (const char* from : {"/data/p", "/data/none", "/data", "/stringData/p", "/stringData"}) {
    const Json copy = {{"op", "copy"}, {"from", from}, {"path", "/type"}};
    EXPECT_NE(mistake_of(Json::array({copy}).dump().c_str(), secret, {"", "Secret"}), "") << from;
  }
  EXPECT_EQ(mistake_of(R"([{"op": "test", "path": "/metadata/labels/a", "value": "b"}])", secret,
                       {"", "Secret"}),
            "");
}

TEST(PatchReading, RefusesToReadWhatIsNotKnown) {
  const Json nothing;
  EXPECT_NE(reading_mistake(Json::parse(R"([{"op": "test", "path": "/a"}])"), {nothing, nothing}),
            "");
}

}  // namespace
}  // namespace filecall::worker::kube
