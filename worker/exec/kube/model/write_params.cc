// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/write_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kRemovalsNamed = 10;

}  // namespace

WriteStrategy strategy_of(const Json& params) {
  const std::string name = text_member(params, "strategy");
  if (name == "create") return WriteStrategy::kCreate;
  if (name == "merge") return WriteStrategy::kMerge;
  if (name == "json") return WriteStrategy::kJson;
  if (name == "delete") return WriteStrategy::kDelete;
  return WriteStrategy::kApply;
}

std::string misfit_of(const Json& params, WriteStrategy strategy) {
  const bool is_patch = strategy == WriteStrategy::kMerge || strategy == WriteStrategy::kJson;
  if (!is_patch && params.contains("patch")) {
    return "/params/patch: belongs to strategy merge or json; an apply takes values or "
           "manifestYaml";
  }
  for (const char* name : {"values", "manifestYaml"}) {
    if ((is_patch || strategy == WriteStrategy::kDelete) && params.contains(name)) {
      return fmt::format("/params/{}: belongs to strategy apply or create", name);
    }
  }
  if ((strategy == WriteStrategy::kCreate || strategy == WriteStrategy::kDelete) &&
      params.contains("subresource")) {
    return "/params/subresource: belongs to strategy apply, merge or json";
  }
  if (strategy != WriteStrategy::kApply && member(params, "force") == Json(true)) {
    return "/params/force: belongs to strategy apply; nothing else has conflicts";
  }
  if (is_patch && member(params, "requireExists") == Json(false)) {
    return "/params/requireExists: belongs to strategy apply; a patch cannot create";
  }
  return "";
}

std::string removal_warning(const Json& diff) {
  std::string paths;
  std::size_t count = 0;
  for (const Json& change : member(diff, "changes")) {
    if (text_member(change, "op") != "remove") continue;
    if (count++ < kRemovalsNamed)
      paths += (paths.empty() ? "" : ", ") + text_member(change, "path");
  }
  const auto omitted = static_cast<std::size_t>(count_member(diff, "omittedRemovals").value_or(0));
  const std::size_t named = std::min(count, kRemovalsNamed);
  count += omitted;
  if (count == 0) return "";
  if (count > named) paths += fmt::format("{}{} more", named > 0 ? " and " : "", count - named);
  return fmt::format(
      "this apply takes away {} that the same manager set before and that it does not name: {}. An "
      "apply is the whole intent; strategy merge or json is for partial changes",
      count == 1 ? "a field" : "fields", paths);
}

}  // namespace filecall::worker::kube
