// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/rollout.h"

#include <fmt/format.h>

#include "base/count_text.h"
#include "ipc/json_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kConditionTextBytes = 1000;

std::int64_t counted(const Json& object, const char* name) {
  return count_member(object, name).value_or(0);
}

/// A server fills in 1 where a manifest says nothing.
std::int64_t replicas_of(const Json& object) {
  return count_member(member(object, "spec"), "replicas").value_or(1);
}

/// Whether the controller has looked at the last change.
bool is_observed(const Json& object) {
  return counted(member(object, "metadata"), "generation") <=
         counted(member(object, "status"), "observedGeneration");
}

/// "all 3 pods are updated", "the pod is updated".
std::string all_of(std::int64_t count, std::string_view noun, std::string_view what) {
  if (count == 1) return fmt::format("the {} is {}", noun, what);
  return fmt::format("all {} are {}", counted_noun(count, noun), what);
}

/// "1 of 3 pods is ready"
std::string part_is(std::int64_t part, std::int64_t whole, std::string_view noun,
                    std::string_view what) {
  return fmt::format("{} {} {}", part_of(part, whole, noun), one_or_many(part, "is", "are"), what);
}

/// "1 of 3 pods has been updated"
std::string part_has_been(std::int64_t part, std::int64_t whole, std::string_view noun,
                          std::string_view what) {
  return fmt::format("{} {} been {}", part_of(part, whole, noun), one_or_many(part, "has", "have"),
                     what);
}

Rollout progressing(std::string message) {
  return {RolloutState::kProgressing, std::move(message)};
}
Rollout complete(std::string message) { return {RolloutState::kComplete, std::move(message)}; }
Rollout failed(std::string message) { return {RolloutState::kFailed, std::move(message)}; }

const Json& rollout_condition(const Json& object, std::string_view type) {
  static const Json kNoCondition;
  for (const Json& condition : member(member(object, "status"), "conditions")) {
    if (text_member(condition, "type") == type) return condition;
  }
  return kNoCondition;
}

Rollout deployment(const Json& object) {
  if (!is_observed(object)) {
    return progressing("the controller has not yet seen the last change");
  }
  const Json& status = member(object, "status");
  const Json& progress = rollout_condition(object, "Progressing");
  if (text_member(progress, "reason") == "ProgressDeadlineExceeded") {
    return failed("the progress deadline is exceeded: " +
                  excerpt(text_member(progress, "message"), kConditionTextBytes));
  }
  const std::int64_t desired = replicas_of(object);
  const std::int64_t updated = counted(status, "updatedReplicas");
  const std::int64_t all = counted(status, "replicas");
  const std::int64_t available = counted(status, "availableReplicas");
  if (updated < desired) {
    const bool is_paused = member(member(object, "spec"), "paused") == Json(true);
    return progressing(part_has_been(updated, desired, "new replica",
                                     is_paused ? "made; the Deployment is paused" : "made"));
  }
  if (all > updated) {
    return progressing(counted_noun(all - updated, "old replica is", "old replicas are") +
                       " still ending");
  }
  if (available < updated) {
    return progressing(part_is(available, updated, "updated replica", "available"));
  }
  return complete(all_of(desired, "replica", "updated and available"));
}

bool is_rolling(const Json& object) {
  const Json& strategy = member(member(object, "spec"), "updateStrategy");
  const std::string type = text_member(strategy, "type");
  return type.empty() || type == "RollingUpdate";
}

Rollout not_rolling() {
  return failed(
      "updateStrategy is OnDelete: pods are updated when somebody deletes them, and no rollout "
      "ends by itself");
}

Rollout daemon_set(const Json& object) {
  if (!is_rolling(object)) return not_rolling();
  if (!is_observed(object)) {
    return progressing("the controller has not yet seen the last change");
  }
  const Json& status = member(object, "status");
  const std::int64_t desired = counted(status, "desiredNumberScheduled");
  const std::int64_t updated = counted(status, "updatedNumberScheduled");
  const std::int64_t available = counted(status, "numberAvailable");
  if (updated < desired) {
    return progressing(part_has_been(updated, desired, "pod", "updated"));
  }
  if (available < desired) {
    return progressing(part_is(available, desired, "updated pod", "available"));
  }
  return complete(all_of(desired, "pod", "updated and available"));
}

Rollout stateful_set(const Json& object) {
  if (!is_rolling(object)) return not_rolling();
  const Json& status = member(object, "status");
  if (counted(status, "observedGeneration") == 0 || !is_observed(object)) {
    return progressing("the controller has not yet seen the last change");
  }
  const std::int64_t desired = replicas_of(object);
  const std::int64_t ready = counted(status, "readyReplicas");
  const std::int64_t updated = counted(status, "updatedReplicas");
  if (ready < desired) {
    return progressing(part_is(ready, desired, "pod", "ready"));
  }
  const Json& strategy = member(member(object, "spec"), "updateStrategy");
  const Json& rolling = member(strategy, "rollingUpdate");
  if (rolling.is_object()) {
    const std::int64_t wanted = desired - counted(rolling, "partition");
    if (updated < wanted) {
      return progressing(
          fmt::format("{} {} been updated",
                      part_of(updated, wanted, "pod of the partition", "pods of the partition"),
                      one_or_many(updated, "has", "have")));
    }
    return complete(fmt::format("{} updated, as the partition says",
                                counted_noun(updated, "pod is", "pods are")));
  }
  if (text_member(status, "updateRevision") != text_member(status, "currentRevision")) {
    return progressing(fmt::format("{} at revision {}", counted_noun(updated, "pod is", "pods are"),
                                   text_member(status, "updateRevision")));
  }
  return complete(all_of(desired, "pod", "updated and ready"));
}

Json counts_of(std::string_view kind, const Json& object) {
  struct Row {
    const char* name;
    const char* field;
  };
  constexpr Row kReplicas[] = {{"current", "replicas"},
                               {"updated", "updatedReplicas"},
                               {"ready", "readyReplicas"},
                               {"available", "availableReplicas"},
                               {"unavailable", "unavailableReplicas"}};
  constexpr Row kScheduled[] = {
      {"desired", "desiredNumberScheduled"}, {"current", "currentNumberScheduled"},
      {"updated", "updatedNumberScheduled"}, {"ready", "numberReady"},
      {"available", "numberAvailable"},      {"unavailable", "numberUnavailable"}};
  const Json& status = member(object, "status");
  Json out = Json::object();
  const auto add = [&](const Row& row) { out[row.name] = counted(status, row.field); };
  if (kind == "DaemonSet") {
    for (const Row& row : kScheduled) add(row);
  } else {
    out["desired"] = replicas_of(object);
    for (const Row& row : kReplicas) add(row);
  }
  return out;
}

}  // namespace

std::string_view to_string(RolloutState state) {
  switch (state) {
    case RolloutState::kComplete:
      return "complete";
    case RolloutState::kFailed:
      return "failed";
    case RolloutState::kProgressing:
      break;
  }
  return "progressing";
}

bool has_rollouts(std::string_view group, std::string_view kind) {
  return group == "apps" && (kind == "Deployment" || kind == "StatefulSet" || kind == "DaemonSet");
}

Rollout rollout_of(std::string_view kind, const Json& object) {
  Rollout rollout = kind == "DaemonSet"     ? daemon_set(object)
                    : kind == "StatefulSet" ? stateful_set(object)
                                            : deployment(object);
  rollout.counts = counts_of(kind, object);
  return rollout;
}

Json conditions_of(const Json& object) {
  Json out = Json::array();
  for (const Json& condition : member(member(object, "status"), "conditions")) {
    Json row = Json::object();
    for (const char* name : {"type", "status", "reason", "message"}) {
      const std::string text = excerpt(text_member(condition, name), kConditionTextBytes);
      if (!text.empty()) row[name] = text;
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace filecall::worker::kube
