// SPDX-License-Identifier: MIT
#include "client/service/unknown_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "client/runs/run_files.h"
#include "client/service/request_count.h"
#include "client/service/run_scope.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNamedMax = 3;

/// Why a request of the latest run is not asked yet; empty: that run does not list it.
std::string listed_text(const spool::Layout& layout, std::string_view id) {
  const RunFiles runs(layout);
  const auto run = runs.latest();
  if (!run || !*run) return {};
  std::string text;
  const auto whole = RunItems(layout, **run).each([&](const RunItem& item) -> Result<bool> {
    if (item.request_id != id) return true;
    const bool goes_on = runs.goes_on((*run)->run_id);
    text = fmt::format("{}: not asked yet: {}; run {} {}", id,
                       item.after.empty() ? "it is in a run's list" : "it " + waits_text(item),
                       (*run)->run_id, goes_on ? "goes on" : "does not go on now");
    return true;  // To the end: only then it is known that the list is whole.
  });
  return whole ? text : std::string();
}

}  // namespace

Error unknown_request(const spool::Root& root, std::string_view id) {
  if (std::string text = listed_text(root.layout(), id); !text.empty()) {
    return {ErrorCode::kNotFound, std::move(text)};
  }
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
