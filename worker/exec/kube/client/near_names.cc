// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/near_names.h"

#include "base/nearest.h"

namespace filecall::worker::kube {
namespace {

/// So many names are listed where none is near.
constexpr std::size_t kFewNames = 10;

}  // namespace

std::string near_names(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (known.size() > kFewNames && nearest_names(name, known).empty()) return "";
  return suggest(name, known);
}

void add_near_names(Failure& failure, std::string_view name,
                    const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  failure.message += near_names(name, names);
  Json nearest = Json::array();
  for (const std::string_view near : nearest_names(name, known)) nearest.push_back(near);
  if (!nearest.empty()) failure.details["nearest"] = std::move(nearest);
}

}  // namespace filecall::worker::kube
