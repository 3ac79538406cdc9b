// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/pod_selection.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

namespace filecall::worker::kube {
namespace {

const Json& inner(const Json& object, const char* name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

std::string inner_text(const Json& object, const char* name) {
  const Json& text = inner(object, name);
  return text.is_string() ? text.get<std::string>() : "";
}

/// One of matchExpressions; empty: an operator that is not known.
std::string query_part(const Json& expression) {
  const std::string key = inner_text(expression, "key");
  const std::string how = inner_text(expression, "operator");
  std::vector<std::string> values;
  if (const Json& given = inner(expression, "values"); given.is_array()) {
    for (const Json& value : given) {
      if (value.is_string()) values.push_back(value.get<std::string>());
    }
  }
  if (how == "In") return fmt::format("{} in ({})", key, fmt::join(values, ","));
  if (how == "NotIn") return fmt::format("{} notin ({})", key, fmt::join(values, ","));
  if (how == "Exists") return key;
  if (how == "DoesNotExist") return "!" + key;
  return "";
}

std::vector<std::string> containers_of(const Json& pod, const std::string& wanted) {
  std::vector<std::string> names;
  const Json& spec = inner(pod, "spec");
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    if (wanted.empty() && list != std::string_view("containers")) continue;
    const Json& containers = inner(spec, list);
    if (!containers.is_array()) continue;
    for (const Json& container : containers) {
      std::string name = inner_text(container, "name");
      if (wanted.empty() || name == wanted) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

Result<std::string, Failure> pod_selector_of(const Json& object) {
  const Json& selector = inner(inner(object, "spec"), "selector");
  const bool is_rich = selector.contains("matchLabels") || selector.contains("matchExpressions");
  const Json& labels = is_rich ? inner(selector, "matchLabels") : selector;
  std::vector<std::string> parts;
  bool is_understood = true;
  if (labels.is_object()) {
    for (const auto& [key, value] : labels.items()) {
      is_understood = is_understood && value.is_string();
      if (value.is_string()) parts.push_back(fmt::format("{}={}", key, value.get<std::string>()));
    }
  }
  if (const Json& expressions = inner(selector, "matchExpressions"); expressions.is_array()) {
    for (const Json& expression : expressions) {
      parts.push_back(query_part(expression));
      is_understood = is_understood && !parts.back().empty();
    }
  }
  if (parts.empty() || !is_understood) {
    return Failure::of(
        {ErrorCode::kInvalidArgument,
         "/params/kind: the object chooses no pods by their labels (spec.selector); give a "
         "labelSelector, or the name of a pod"});
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

LogStreams choose_log_streams(const Json& pods, const std::string& container, std::size_t pods_max,
                              std::size_t streams_max) {
  LogStreams out;
  if (!pods.is_array()) return out;
  std::vector<std::tuple<std::string, std::string, const Json*>> sorted;
  for (const Json& pod : pods) {
    const Json& metadata = inner(pod, "metadata");
    sorted.emplace_back(inner_text(metadata, "creationTimestamp"), inner_text(metadata, "name"),
                        &pod);
  }
  // RFC 3339 in UTC sorts as text; the newest stands first, names decide among equals.
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(b), std::get<1>(a)) < std::tie(std::get<0>(a), std::get<1>(b));
  });
  out.pods = sorted.size();
  std::size_t read = 0;
  for (const auto& [time, name, pod] : sorted) {
    const std::vector<std::string> containers = containers_of(*pod, container);
    const bool has_room = read < pods_max && out.streams.size() + containers.size() <= streams_max;
    if (containers.empty() || !has_room) {
      ++out.pods_left_out;
      continue;
    }
    ++read;
    for (const std::string& one : containers) out.streams.push_back({name, one});
  }
  return out;
}

}  // namespace filecall::worker::kube
