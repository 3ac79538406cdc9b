// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/disruption_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

const Json kEvictedPod =
    Json::parse(R"({"metadata": {"name": "web-0", "labels": {"app": "web"}}})");

Json budget(const char* name, const char* selector) {
  Json out = Json::parse(R"({"spec": {"minAvailable": "50%"}, "status": {"expectedPods": 2,
      "desiredHealthy": 2, "currentHealthy": 1}})");
  out["metadata"]["name"] = name;
  out["spec"]["selector"] = Json::parse(selector);
  return out;
}

TEST(DisruptionBudget, IsNamedWhereItSelectsThePod) {
  const Json items = Json::array({budget("mine", R"({"matchLabels": {"app": "web"}})"),
                                  budget("other", R"({"matchLabels": {"app": "db"}})"),
                                  budget("all", "{}"), budget("null", "null")});
  // An empty selector of the old version selects nothing. Items of a list have no apiVersion.
  EXPECT_EQ(budgets_of(items, "policy/v1beta1", kEvictedPod).size(), 1U);
  const Json rows = budgets_of(items, "policy/v1", kEvictedPod);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["name"], "mine");
  EXPECT_EQ(rows[0]["minAvailable"], "50%");
  EXPECT_EQ(rows[1]["name"], "all");
  EXPECT_THAT(budgets_in_words(rows), HasSubstr("'mine' allows 0 disruptions: 2 of its 2 pods"));
  EXPECT_THAT(budgets_in_words(rows), HasSubstr("never allows"));
  EXPECT_EQ(budgets_in_words(Json::array()), "");
}

TEST(DisruptionBudget, IsDistinguishedFromAServerThatIsBusy) {
  const auto failure = [](const char* details, std::string message) {
    Failure out;
    out.message = std::move(message);
    out.details = Json::parse(details);
    return out;
  };
  EXPECT_TRUE(is_of_budget(
      failure(R"({"http_status": 429, "causes": [{"reason": "DisruptionBudget"}]})", "")));
  EXPECT_FALSE(is_of_budget(failure(R"({"http_status": 429})", "")));
  EXPECT_FALSE(is_of_budget(failure(R"({"http_status": 500})", "failed calling webhook")));
  const Failure several = failure(
      R"({"http_status": 500})",
      "HTTP 500: This pod has more than one PodDisruptionBudget, which the eviction subresource "
      "does not support.");
  EXPECT_TRUE(is_of_budget(several) && is_of_several_budgets(several));
}

TEST(DisruptionBudget, AnEvictionIsBoundToItsPod) {
  const WritePlan plan = plan_eviction("policy/v1", "web-0", "shop", {"u", "7"}, 5);
  EXPECT_EQ(plan.method, "POST");
  EXPECT_EQ(plan.body["deleteOptions"],
            Json::parse(R"({"gracePeriodSeconds": 5, "preconditions": {"uid": "u",
                "resourceVersion": "7"}})"));
  EXPECT_EQ(plan.query_for(true).back().first, "dryRun");
  EXPECT_TRUE(controller_of(kEvictedPod).is_null());
}

}  // namespace
}  // namespace filecall::worker::kube
