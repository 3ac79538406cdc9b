// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/write_plan.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace filecall::worker::kube
