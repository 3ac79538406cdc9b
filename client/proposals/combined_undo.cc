// SPDX-License-Identifier: MIT
#include "client/proposals/combined_undo.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "client/core/digest.h"

namespace filecall::client {
namespace {

/// `later` and, after it, `earlier` as one change of their file. Parts of one file are updates: a
/// create and a delete are made whole.
bool join(Json& later, const Json& earlier) {
  if (later["operation"] != "update" || earlier["operation"] != "update") return false;
  const auto content = later.find("new_content");
  const auto base = earlier.find("base_sha256");
  if (content == later.end() || base == earlier.end() || !content->is_string()) return false;
  const std::string between = digest_of(content->get_ref<const std::string&>());
  if (!base->is_string() || between != "sha256:" + base->get<std::string>()) return false;
  later["new_content"] = earlier["new_content"];
  for (const char* shown : {"hunks", "unified_diff", "fit"}) later.erase(shown);
  return true;
}

}  // namespace

Result<Proposal> combined_undo(const std::vector<MadePart>& parts) {
  if (parts.size() == 1) return parts.front().undo;
  Proposal all{Json::array(), ""};
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    for (const Json& change : part->undo.changes) {
      const auto later = std::ranges::find_if(
          all.changes, [&](const Json& one) { return one["path"] == change["path"]; });
      if (later == all.changes.end()) {
        all.changes.push_back(change);
      } else if (!join(*later, change)) {
        return fail(ErrorCode::kFailedPrecondition,
                    fmt::format("{}: somebody changed it between two parts of the proposal; undo "
                                "them by file.apply and the 'undo' of {} and of {}",
                                change["path"].get<std::string>(), parts.back().request_id,
                                part->request_id));
      }
    }
  }
  return all;
}

}  // namespace filecall::client
