// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/kube/model/write_plan.h"

namespace filecall::worker::kube {

/// The POST to a pod's eviction subresource. `api_version`: of the group "policy". Pure.
WritePlan plan_eviction(const std::string& api_version, const std::string& name,
                        const std::string& name_space, const Precondition& precondition,
                        std::optional<std::int64_t> grace_period_s);

/// Whether a disruption budget is why an eviction failed: a server that has too many requests says
/// 429 as well, and a webhook that breaks is a 500. Pure.
bool is_of_budget(const Failure& failure);
/// Whether it is because several budgets select the pod: an error 500 of the server, without a
/// cause, which no repetition changes. Pure.
bool is_of_several_budgets(const Failure& failure);

/// The budgets of `items`, a list of this apiVersion, that select the pod: [{"name",
/// "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods", "minAvailable"?,
/// "maxUnavailable"?}]. Pure.
Json budgets_of(const Json& items, const std::string& api_version, const Json& pod);

/// The same as the end of a sentence; empty for none.
std::string budgets_in_words(const Json& rows);

/// {"kind", "name"} of what controls an object; null: nothing does.
Json controller_of(const Json& object);

}  // namespace filecall::worker::kube
