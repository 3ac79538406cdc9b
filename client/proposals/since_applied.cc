// SPDX-License-Identifier: MIT
#include "client/proposals/since_applied.h"

#include <algorithm>

namespace filecall::client {
namespace {

/// The state that a change is made for: no file for a create, else a file with that digest.
bool is_base_of(const Json& change, const std::optional<std::string>& sha256) {
  if (change.value("operation", "") == "create") return !sha256;
  return sha256 && change.value("base_sha256", "") == *sha256;
}

/// What takes back what the last part made of the file is made for what that part made.
const Json* last_undo(const std::vector<MadePart>& parts, const Json& path) {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    for (const Json& change : part->undo.changes) {
      if (change["path"] == path) return &change;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> made_paths(const std::vector<MadePart>& parts) {
  std::vector<std::string> paths;
  for (const MadePart& part : parts) {
    for (const Json& change : part.undo.changes) {
      std::string path = change["path"].get<std::string>();
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  return paths;
}

SinceApplied since_applied(const Json& change, const std::vector<MadePart>& parts,
                           const std::optional<std::string>& sha256) {
  const Json* undo = last_undo(parts, change["path"]);
  if (undo != nullptr && is_base_of(*undo, sha256)) return SinceApplied::kMade;
  if (undo != nullptr && is_base_of(change, sha256)) return SinceApplied::kBefore;
  return SinceApplied::kOther;
}

}  // namespace filecall::client
