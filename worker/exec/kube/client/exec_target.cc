// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_target.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/near_names.h"

namespace filecall::worker::kube {
namespace {

constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

void add_names(const Json& containers, std::vector<std::string>& names) {
  if (!containers.is_array()) return;
  for (const Json& container : containers) names.push_back(text_member(container, "name"));
}

/// The container's status; null where the kubelet has reported none.
const Json& status_of(const Json& pod, const std::string& container) {
  static const Json kNone;
  for (const char* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    const Json& statuses = member(member(pod, "status"), list);
    if (!statuses.is_array()) continue;
    for (const Json& status : statuses) {
      if (text_member(status, "name") == container) return status;
    }
  }
  return kNone;
}

/// Why nothing can run in it now; "": something can.
std::string idleness_of(const Json& pod, const std::string& container) {
  const Json& status = status_of(pod, container);
  const Json& state = member(status, "state");
  const std::string phase = text_member(member(pod, "status"), "phase");
  if (member(state, "running").is_object()) return "";
  for (const char* kind : {"waiting", "terminated"}) {
    const Json& detail = member(state, kind);
    if (!detail.is_object()) continue;
    std::string text = kind;
    if (const std::string reason = text_member(detail, "reason"); !reason.empty()) {
      text += ": " + reason;
    }
    if (const auto code = count_member(detail, "exitCode")) {
      text += fmt::format(", exit code {}", *code);
    }
    return text;
  }
  // A kubelet that has not reported it yet may have started it all the same.
  if (phase == "Running") return "";
  return phase.empty() ? "it has not been started" : fmt::format("the pod is {}", phase);
}

Failure refusal(ErrorCode code, std::string message, std::string_view reason) {
  Failure failure;
  failure.code = code;
  failure.message = std::move(message);
  failure.details = Json::object();
  failure.details["reason"] = reason;
  return failure;
}

bool is_ready(const Json& pod) {
  const Json& conditions = member(member(pod, "status"), "conditions");
  return conditions.is_array() && std::ranges::any_of(conditions, [](const Json& condition) {
           return text_member(condition, "type") == "Ready" &&
                  text_member(condition, "status") == "True";
         });
}

}  // namespace

Result<std::string, Failure> exec_container_of(const Json& pod, const std::string& wanted) {
  const Json& spec = member(pod, "spec");
  const std::string name = text_member(member(pod, "metadata"), "name");
  std::vector<std::string> names;
  add_names(member(spec, "containers"), names);
  const std::size_t usual = names.size();
  add_names(member(spec, "initContainers"), names);
  add_names(member(spec, "ephemeralContainers"), names);
  const auto has = [&](const std::string& one) {
    return std::ranges::find(names, one) != names.end();
  };
  std::string container = wanted;
  if (container.empty()) {
    container = text_member(member(member(pod, "metadata"), "annotations"), kDefaultContainer);
    if (!has(container)) container = usual == 1 ? names.front() : "";
  }
  if (container.empty()) {
    names.resize(usual);
    return refusal(ErrorCode::kInvalidArgument,
                   fmt::format("/params/container: pod {} has several containers; give one of {}",
                               name, fmt::join(names, ", ")),
                   "ContainerNotNamed");
  }
  if (!has(container)) {
    Failure failure =
        refusal(ErrorCode::kNotFound,
                fmt::format("/params/container: pod {} has no container '{}'", name, container),
                "ContainerNotFound");
    add_near_names(failure, container, names);
    return failure;
  }
  if (const std::string why = idleness_of(pod, container); !why.empty()) {
    return refusal(ErrorCode::kFailedPrecondition,
                   fmt::format("container '{}' of pod {} is not running ({}); kube.events and "
                               "kube.logs with previous say more",
                               container, name, why),
                   "ContainerNotRunning");
  }
  return container;
}

std::string choose_exec_pod(const Json& pods, const std::string& container, Failure& why) {
  std::string ready, running;
  for (const Json& pod : pods.is_array() ? pods : Json::array()) {
    const std::string name = text_member(member(pod, "metadata"), "name");
    const auto found = exec_container_of(pod, container);
    if (!found) {
      why = found.error();
      continue;
    }
    std::string& best = is_ready(pod) ? ready : running;
    if (best.empty() || name < best) best = name;
  }
  return ready.empty() ? running : ready;
}

}  // namespace filecall::worker::kube
