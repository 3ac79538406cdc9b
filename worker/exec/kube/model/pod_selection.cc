// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/pod_selection.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

/// One of matchExpressions; empty: it is not understood.
std::string query_part(const Json& expression) {
  const std::string key = text_member(expression, "key");
  const std::string how = text_member(expression, "operator");
  if (key.empty()) return "";
  if (how == "Exists") return key;
  if (how == "DoesNotExist") return "!" + key;
  const Json& given = member(expression, "values");
  const bool is_list = given.is_array() && std::ranges::all_of(given, &Json::is_string);
  if (!is_list || (how != "In" && how != "NotIn")) return "";
  std::vector<std::string> values;
  for (const Json& value : given) values.push_back(value.get<std::string>());
  return fmt::format("{} {} ({})", key, how == "In" ? "in" : "notin", fmt::join(values, ","));
}

/// The requirements of a selector; nullopt: a part of it is not understood, and without that part
/// it would choose more.
std::optional<std::vector<std::string>> query_parts(const Json& selector) {
  std::vector<std::string> parts;
  const bool is_rich = selector.contains("matchLabels") || selector.contains("matchExpressions");
  const Json& labels = is_rich ? member(selector, "matchLabels") : selector;
  const Json& expressions = member(selector, "matchExpressions");
  const bool has_form = (labels.is_null() || labels.is_object()) &&
                        (!is_rich || expressions.is_null() || expressions.is_array());
  if (!has_form) return std::nullopt;
  if (is_rich) {
    for (const auto& [name, value] : selector.items()) {
      if (name != "matchLabels" && name != "matchExpressions") return std::nullopt;
    }
  }
  for (const auto& [key, value] : labels.items()) {
    if (!value.is_string()) return std::nullopt;
    parts.push_back(fmt::format("{}={}", key, value.get<std::string>()));
  }
  if (!is_rich) return parts;
  for (const Json& expression : expressions) {
    parts.push_back(query_part(expression));
    if (parts.back().empty()) return std::nullopt;
  }
  return parts;
}

std::vector<std::string> containers_of(const Json& pod, const std::string& wanted) {
  std::vector<std::string> names;
  const Json& spec = member(pod, "spec");
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    if (wanted.empty() && list != std::string_view("containers")) continue;
    const Json& containers = member(spec, list);
    if (!containers.is_array()) continue;
    for (const Json& container : containers) {
      std::string name = text_member(container, "name");
      if (wanted.empty() || name == wanted) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

Result<std::string, Failure> pod_selector_of(const Json& object) {
  const Json& selector = member(member(object, "spec"), "selector");
  const auto parts = selector.is_object() ? query_parts(selector) : std::nullopt;
  if (!parts || parts->empty()) {
    return Failure::of(
        {ErrorCode::kInvalidArgument,
         "/params/kind: the object chooses no pods by their labels (spec.selector); give a "
         "labelSelector, or the name of a pod"});
  }
  return fmt::format("{}", fmt::join(*parts, ","));
}

LogStreams choose_log_streams(const Json& pods, const std::string& container, std::size_t pods_max,
                              std::size_t streams_max) {
  LogStreams out;
  if (!pods.is_array()) return out;
  std::vector<std::tuple<std::string, std::string, const Json*>> sorted;
  for (const Json& pod : pods) {
    const Json& metadata = member(pod, "metadata");
    sorted.emplace_back(text_member(metadata, "creationTimestamp"), text_member(metadata, "name"),
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
