// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/disruption_budget.h"

#include <fmt/format.h>

#include "base/count_text.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/model/label_selector.h"

namespace filecall::worker::kube {
namespace {

/// A budget of the old version with an empty selector selects nothing, of the new one everything.
bool selects(const Json& budget, bool is_old, const Json& labels) {
  const Json& selector = member(member(budget, "spec"), "selector");
  return selector.is_object() && !(is_old && selector.empty()) &&
         selector_matches(selector, labels);
}

}  // namespace

WritePlan plan_eviction(const std::string& api_version, const std::string& name,
                        const std::string& name_space, const Precondition& precondition,
                        std::optional<std::int64_t> grace_period_s) {
  Json metadata = Json::object();
  metadata["name"] = name;
  metadata["namespace"] = name_space;
  Json options = Json::object();
  if (grace_period_s) options["gracePeriodSeconds"] = *grace_period_s;
  if (!precondition.uid.empty()) options["preconditions"]["uid"] = precondition.uid;
  if (!precondition.resource_version.empty()) {
    options["preconditions"]["resourceVersion"] = precondition.resource_version;
  }
  WritePlan plan;
  plan.method = "POST";
  plan.content_type = "application/json";
  plan.body = Json::object();
  plan.body["apiVersion"] = api_version;
  plan.body["kind"] = "Eviction";
  plan.body["metadata"] = std::move(metadata);
  plan.body["deleteOptions"] = std::move(options);
  return plan;
}

bool is_of_budget(const Failure& failure) {
  for (const Json& cause : member(failure.details, "causes")) {
    if (text_member(cause, "reason") == "DisruptionBudget") return true;
  }
  return is_of_several_budgets(failure);
}

bool is_of_several_budgets(const Failure& failure) {
  return count_member(failure.details, "http_status") == 500 &&
         failure.message.find("more than one PodDisruptionBudget") != std::string::npos;
}

Json budgets_of(const Json& items, const std::string& api_version, const Json& pod) {
  Json out = Json::array();
  const Json& labels = member(member(pod, "metadata"), "labels");
  for (const Json& budget : items) {
    // Items of a list leave their version to the list.
    if (!selects(budget, api_version == "policy/v1beta1", labels)) continue;
    Json row = Json::object();
    row["name"] = text_member(member(budget, "metadata"), "name");
    for (const char* name :
         {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}) {
      row[name] = count_member(member(budget, "status"), name).value_or(0);
    }
    for (const char* name : {"minAvailable", "maxUnavailable"}) {
      const Json& value = member(member(budget, "spec"), name);
      if (value.is_string() || value.is_number_integer()) row[name] = value;
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::string budgets_in_words(const Json& rows) {
  std::string out;
  for (const Json& row : rows) {
    const auto number = [&](const char* name) { return count_member(row, name).value_or(0); };
    out += fmt::format(
        "; the disruption budget '{}' allows {}: {} of its {} must be healthy, and {} {}",
        text_member(row, "name"), counted_noun(number("disruptionsAllowed"), "disruption"),
        number("desiredHealthy"), counted_noun(number("expectedPods"), "pod"),
        number("currentHealthy"), one_or_many(number("currentHealthy"), "is", "are"));
    if (number("expectedPods") > 0 && number("desiredHealthy") >= number("expectedPods")) {
      out += ", so that it never allows one of them to go";
    }
  }
  return out;
}

Json controller_of(const Json& object) {
  for (const Json& owner : member(member(object, "metadata"), "ownerReferences")) {
    if (member(owner, "controller") != Json(true)) continue;
    Json out = Json::object();
    out["kind"] = text_member(owner, "kind");
    out["name"] = text_member(owner, "name");
    return out;
  }
  return nullptr;
}

}  // namespace filecall::worker::kube
