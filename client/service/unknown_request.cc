// SPDX-License-Identifier: MIT
#include "client/service/unknown_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "client/service/request_count.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNamedMax = 3;

}  // namespace

Error unknown_request(const spool::Root& root, std::string_view id) {
  std::vector<std::string> near;
  if (const auto names = read_request_names(root); names && !id.empty()) {
    for (std::size_t i = 0; i < names->size(); ++i) {
      const std::string_view name = (*names)[i];
      if (name.starts_with(id)) near.emplace_back(name);
    }
  }
  std::ranges::sort(near);
  std::string hint = "`filecall status` lists them";
  if (!near.empty()) {
    const std::size_t named = std::min(near.size(), kNamedMax);
    hint = "did you mean ";
    for (std::size_t i = 0; i < named; ++i) hint += (i == 0 ? "" : ", ") + near[i];
    if (near.size() > named) hint += fmt::format(", or one of {} more", near.size() - named);
    hint += "?";
  }
  return {ErrorCode::kNotFound,
          fmt::format("{}: no such request in {}; {}", id, root.layout().root(), hint)};
}

}  // namespace filecall::client
