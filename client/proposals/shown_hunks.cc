// SPDX-License-Identifier: MIT
#include "client/proposals/shown_hunks.h"

#include <fmt/core.h>

#include <string>

#include "client/core/digest.h"
#include "client/proposals/content_before.h"
#include "edit/patch_reader.h"
#include "ipc/json_member.h"

namespace filecall::client {
namespace {

/// The hunks as one diff of one file; a member that holds more than its hunk shows.
std::string diff_of_hunks(const Json& hunks) {
  if (hunks.empty()) return {};
  std::string diff = "--- a/file\n+++ b/file\n";
  for (const Json& hunk : hunks) {
    diff += string_member(hunk, "header") + "\n" + string_member(hunk, "diff");
    if (!diff.ends_with('\n')) diff += '\n';
  }
  return diff;
}

/// Whether a diff of so many hunks (0: any number) leads from the base to the new content.
bool leads_there(const Json& change, const std::string& diff, std::size_t count) {
  std::vector<edit::PatchHunk> hunks;
  if (!diff.empty()) {
    auto files = edit::read_patch(diff);
    if (!files || files->size() != 1) return false;
    hunks = std::move(files->front().hunks);
  }
  if (count > 0 && hunks.size() != count) return false;
  const auto base = content_before(string_member(change, "new_content"), hunks);
  if (!base || !*base) return false;
  if (change["operation"] == "create") return (*base)->empty();
  const std::string sha256 = string_member(change, "base_sha256");
  return sha256.empty() || digest_of(**base) == "sha256:" + sha256;
}

}  // namespace

Result<void> check_shown_hunks(const Json& change, std::string_view where) {
  const auto hunks = change.find("hunks");
  if (hunks == change.end() || !hunks->is_array() || change.value("conflict", false)) return {};
  const std::string diff = string_member(change, "unified_diff");
  const bool is_shown_so = leads_there(change, diff_of_hunks(*hunks), hunks->size()) &&
                           (diff.empty() || leads_there(change, diff, hunks->size()));
  if (is_shown_so) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: {}: the hunks that it shows are not those of its new content; "
                          "somebody altered it. Propose it again (file.propose)",
                          where, string_member(change, "path")));
}

}  // namespace filecall::client
