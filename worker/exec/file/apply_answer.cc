// SPDX-License-Identifier: MIT
#include "worker/exec/file/apply_answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "worker/exec/file/changed_text.h"
#include "worker/exec/file/file_text.h"
#include "worker/exec/file/proposal_digest.h"

namespace filecall::worker::file {
namespace {

constexpr unsigned kPermissionBits = 0777;

/// A change that makes `after` of `before`, as file.propose answers one.
Result<Json> change_between(const std::string& name, const std::optional<std::string>& before,
                            const std::optional<std::string>& after,
                            std::optional<unsigned> mode = std::nullopt) {
  const char* operation = !before ? "create" : !after ? "delete" : "update";
  Json change = {{"path", name}, {"operation", operation}, {"conflict", false}};
  if (before) change["base_sha256"] = sha256_hex(*before);
  TRY_ASSIGN(auto difference,
             text_difference(name, before ? &*before : nullptr, after ? &*after : nullptr, mode));
  change["unified_diff"] = std::move(difference.diff);
  change["hunks"] = std::move(difference.hunks);
  if (after) change["new_content"] = *after;
  if (mode) change["mode"] = fmt::format("{:04o}", *mode);
  return change;
}

/// The directories that a create makes, as further requests name them; `known` are those that
/// another change makes.
Json made_directories(const FileRules& rules, const ChosenChange& chosen,
                      std::set<std::string>& known) {
  Json made = Json::array();
  const ChangePlace& place = chosen.file.place;
  const std::string& below = place.directory.path;
  const std::string prefix = below == "." ? "" : below + "/";
  for (std::size_t at = place.name.find('/'); at != std::string::npos;
       at = place.name.find('/', at + 1)) {
    std::string name = name_of(rules, place.directory.root, prefix + place.name.substr(0, at));
    if (known.insert(name).second) made.push_back(std::move(name));
  }
  return made;
}

Json applied_entry(const ChosenChange& chosen, const Json& directories) {
  Json entry = {
      {"path", chosen.name}, {"operation", chosen.operation()}, {"changed", chosen.is_effective()}};
  if (chosen.before) entry["before_sha256"] = sha256_hex(*chosen.before);
  if (chosen.after) {
    entry["sha256"] = sha256_hex(*chosen.after);
    entry["bytes"] = chosen.after->size();
  }
  if (!chosen.part.is_whole) entry["hunks"] = chosen.part.hunks;
  if (!directories.empty()) entry["directories"] = directories;
  return entry;
}

Result<Json> undo_entry(const ChosenChange& chosen, const Json& directories) {
  std::optional<unsigned> mode;
  if (!chosen.after) mode = chosen.file.info.st_mode & kPermissionBits;
  TRY_ASSIGN(Json undo, change_between(chosen.name, chosen.after, chosen.before, mode));
  if (!directories.empty()) undo["directories"] = directories;
  return undo;
}

/// What is left of a change of which some hunks are made; null: nothing.
Result<Json> rest_of_part(const ChosenChange& chosen) {
  const std::string whole = (*chosen.change)["new_content"];
  if (chosen.after == whole) return Json();
  return change_between(chosen.name, chosen.after, whole);
}

}  // namespace

Result<Json> apply_answer(const FileRules& rules, const Json& changes,
                          const std::vector<ChosenChange>& chosen) {
  Json applied = Json::array(), undo = Json::array(), rest = Json::array();
  std::set<std::string> known;
  auto next = chosen.begin();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (next == chosen.end() || next->number != i) {
      rest.push_back(changes[i]);
      continue;
    }
    const Json directories = made_directories(rules, *next, known);
    applied.push_back(applied_entry(*next, directories));
    if (next->is_effective()) {
      TRY_ASSIGN(Json entry, undo_entry(*next, directories));
      undo.push_back(std::move(entry));
    }
    if (!next->part.is_whole) {
      TRY_ASSIGN(Json left, rest_of_part(*next));
      if (!left.is_null()) rest.push_back(std::move(left));
    }
    ++next;
  }
  const std::string undo_digest = proposal_digest(undo);
  const std::string rest_digest = proposal_digest(rest);
  return Json{{"applied", std::move(applied)},
              {"undo", std::move(undo)},
              {"undo_digest", undo_digest},
              {"rest", std::move(rest)},
              {"rest_digest", rest_digest}};
}

}  // namespace filecall::worker::file
