// SPDX-License-Identifier: MIT
#include "worker/exec/file/chosen_change.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "edit/hunk_choice.h"
#include "worker/exec/file/changed_text.h"
#include "worker/exec/file/file_content.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::file {
namespace {

Error wrong(const ChosenChange& chosen, std::string_view rule) {
  return {ErrorCode::kInvalidArgument, fmt::format("{}: {}", chosen.pointer(), rule)};
}

/// What the schema cannot say.
Result<void> check_form(const ChosenChange& chosen) {
  const Json& change = *chosen.change;
  const bool is_create = chosen.operation() == "create";
  if (!is_create && change.contains("mode")) {
    return Unexpected(wrong(chosen, "'mode' is of a create; a file that is there keeps its own"));
  }
  if (!is_create && !change.contains("base_sha256")) {
    return Unexpected(wrong(chosen, "needs 'base_sha256', the content that it is meant for"));
  }
  if (chosen.operation() != "delete" && !change.contains("new_content")) {
    return Unexpected(wrong(chosen,
                            "needs 'new_content'; a change of edits or a patch becomes one "
                            "by file.propose"));
  }
  return {};
}

/// A file that is another than the change was made for.
struct Conflict {
  std::size_t number = 0;  ///< Of the change.
  std::string why;
  Json details;  ///< {"path", "reason"} and, when it is there, the present "sha256".
};

Conflict conflict_of(const ChosenChange& chosen, const char* reason, std::string_view why,
                     const std::string& sha256 = "") {
  const std::string path = (*chosen.change)["path"];
  Conflict conflict{chosen.number, fmt::format("{}: '{}' {}", chosen.pointer(), path, why),
                    Json{{"path", path}, {"reason", reason}}};
  if (!sha256.empty()) conflict.details["sha256"] = sha256;
  return conflict;
}

/// Whether hunks that a request carries are these. They may lack the members that only explain.
bool are_shown_as(const Json& shown, const Json& real) {
  return std::ranges::equal(shown, real, [](const Json& one, const Json& other) {
    return std::ranges::all_of(std::array{"id", "header", "diff"}, [&](const char* name) {
      return !one.contains(name) || one[name] == other[name];
    });
  });
}

/// Whether these are the hunks of a unified diff, whatever names stand before them.
bool ends_with_hunks(std::string_view diff, const Json& hunks) {
  std::string text;
  for (const Json& hunk : hunks) {
    text += hunk["header"].get<std::string>() + "\n" + hunk["diff"].get<std::string>();
  }
  if (!diff.ends_with(text)) return false;
  diff.remove_suffix(text.size());
  return !diff.starts_with("@@") && diff.find("\n@@") == std::string_view::npos;
}

/// Opens the place of a change; nullopt: all is well.
Result<std::optional<Conflict>> open_change(const FileRules& rules, ChosenChange& chosen) {
  if (member(*chosen.change, "conflict") == true) {
    return conflict_of(chosen, "conflict", "has a conflict: it cannot be made");
  }
  TRY(check_form(chosen));
  const std::string path = (*chosen.change)["path"];
  const std::string at = chosen.pointer() + "/path";
  auto place = chosen.operation() == "create"   ? open_for_create(rules, path, at)
               : chosen.operation() == "update" ? open_target(rules, path, at)
                                                : open_for_change(rules, path, at);
  if (!place && place.error().code == ErrorCode::kNotFound && chosen.operation() != "create") {
    return conflict_of(chosen, "missing", "is not there any more");
  }
  if (!place) return Unexpected(std::move(place).error());
  chosen.file.place = *std::move(place);
  chosen.name = name_of(rules, chosen.file.place.directory.root, chosen.file.place.path());
  return std::nullopt;
}

std::optional<Conflict> look_at_new(const ChosenChange& chosen) {
  if (!is_taken(chosen.file.place)) return std::nullopt;
  return conflict_of(chosen, "exists", "is there already");
}

/// Reads the file that is updated or deleted; nullopt: it is the one that is meant.
Result<std::optional<Conflict>> read_present(const FileRules& rules, ChosenChange& chosen) {
  const std::string path = (*chosen.change)["path"];
  const auto read =
      read_held(rules, chosen.file, fmt::format("{}/path: '{}'", chosen.pointer(), path));
  if (!read && read.error().code == ErrorCode::kNotFound) {
    return conflict_of(chosen, "missing", "is not there any more");
  }
  if (!read) return Unexpected(read.error());
  chosen.before = std::move(chosen.file.bytes);
  const std::string sha256 = sha256_hex(*chosen.before);
  if (sha256 != (*chosen.change)["base_sha256"]) {
    const Json& wanted = member(*chosen.change, "new_content");
    if (wanted.is_string() && wanted == *chosen.before) {
      return conflict_of(chosen, "applied", "holds the new content already", sha256);
    }
    return conflict_of(chosen, "changed", "is another by now", sha256);
  }
  if (encoding_of(*chosen.before) != "utf-8") {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: '{}' is no UTF-8 text ({})", chosen.pointer(), path,
                            encoding_of(*chosen.before)));
  }
  return std::nullopt;
}

/// What the file is to hold.
Result<void> work_out(const FileRules& rules, ChosenChange& chosen) {
  const Json& change = *chosen.change;
  if (chosen.operation() != "delete") {
    chosen.after = change["new_content"].get<std::string>();
    TRY(check_size(rules, chosen.after->size(), chosen.pointer()));
  }
  if (!chosen.part.is_whole) {
    auto some = edit::apply_chosen(*chosen.before, *chosen.after, chosen.part.hunks);
    if (!some) {
      return fail(some.error().code, fmt::format("{}: {}", chosen.pointer(), some.error().message));
    }
    chosen.after = std::move(some->content);
  }
  if (chosen.operation() == "create") chosen.mode = mode_param(change);
  return {};
}

/// What somebody decided on was shown to them by its hunks: they are those of the content.
Result<void> check_shown(const ChosenChange& chosen) {
  const Json& change = *chosen.change;
  const Json& hunks = member(change, "hunks");
  const Json& diff = member(change, "unified_diff");
  if (!hunks.is_array() && !diff.is_string()) return {};
  std::optional<std::string> whole;
  if (chosen.operation() != "delete") whole = change["new_content"].get<std::string>();
  TRY_ASSIGN(const auto real,
             text_difference(chosen.name, chosen.before ? &*chosen.before : nullptr,
                             whole ? &*whole : nullptr));
  if (hunks.is_array() && !are_shown_as(hunks, real.hunks)) {
    return Unexpected(wrong(chosen, "the hunks shown are not those of the content"));
  }
  if (diff.is_string() && !ends_with_hunks(diff.get_ref<const std::string&>(), real.hunks)) {
    return Unexpected(wrong(chosen, "the unified_diff shown is not that of the content"));
  }
  return {};
}

/// The directories of a delete lie on the way to its file, and may be changed.
Result<void> take_directories(const FileRules& rules, ChosenChange& chosen) {
  if (chosen.operation() != "delete") return {};
  for (const Json& entry : member(*chosen.change, "directories")) {
    const auto& directory = entry.get_ref<const std::string&>();
    if (!chosen.name.starts_with(directory + "/")) {
      return Unexpected(
          wrong(chosen, fmt::format("'{}' of 'directories' is not on the way to it", directory)));
    }
    TRY(check_may_change(rules, directory, chosen.pointer() + "/directories"));
    chosen.directories.push_back(directory);
  }
  return {};
}

Failure stale(const std::vector<Conflict>& conflicts) {
  Failure failure;
  failure.code = ErrorCode::kFailedPrecondition;
  failure.message = conflicts.front().why;
  if (conflicts.size() > 1) {
    failure.message += fmt::format(", and {} more files do not fit", conflicts.size() - 1);
  }
  failure.message += "; nothing was changed: propose it for the files as they are (file.propose)";
  failure.details = {{"changes", "undone"}, {"conflicts", Json::array()}};
  for (const Conflict& conflict : conflicts) {
    failure.details["conflicts"].push_back(conflict.details);
  }
  return failure;
}

Result<void> check_total(const std::vector<ChosenChange>& changes) {
  std::size_t bytes = 0;
  for (const ChosenChange& chosen : changes) {
    bytes +=
        (chosen.before ? chosen.before->size() : 0) + (chosen.after ? chosen.after->size() : 0);
  }
  if (bytes <= kChangedBytesMax) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("/params/changes: old and new contents have {} bytes, more than {}; "
                          "apply the files one after the other ('hunks')",
                          bytes, kChangedBytesMax));
}

/// Looks at the held files, and works out what becomes of them.
Result<void> look_at_files(const FileRules& rules, std::vector<ChosenChange>& changes,
                           std::vector<Conflict>& conflicts) {
  for (ChosenChange& chosen : changes) {
    if (!chosen.file.place.directory.fd.is_open()) continue;
    std::optional<Conflict> conflict;
    if (chosen.operation() == "create") {
      conflict = look_at_new(chosen);
    } else {
      TRY_ASSIGN(conflict, read_present(rules, chosen));
    }
    if (conflict) {
      conflicts.push_back(*std::move(conflict));
      continue;
    }
    TRY(work_out(rules, chosen));
    TRY(take_directories(rules, chosen));
  }
  return {};
}

}  // namespace

std::string ChosenChange::pointer() const { return fmt::format("/params/changes/{}", number); }

Result<HeldChanges, Failure> hold_changes(const FileRules& rules, const Json& changes,
                                          const std::vector<ChosenPart>& parts) {
  HeldChanges held;
  std::vector<Conflict> conflicts;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (parts[i].is_empty()) continue;
    ChosenChange chosen;
    chosen.change = &changes[i];
    chosen.number = i;
    chosen.part = parts[i];
    auto conflict = open_change(rules, chosen);
    if (!conflict) return refused(std::move(conflict).error());
    if (*conflict) conflicts.push_back(**std::move(conflict));
    held.changes.push_back(std::move(chosen));
  }
  std::vector<const ChangePlace*> places;
  for (const ChosenChange& chosen : held.changes) {
    if (chosen.file.place.directory.fd.is_open()) places.push_back(&chosen.file.place);
  }
  auto lock = hold_places(places);
  if (!lock) return refused(std::move(lock).error());
  held.lock = *std::move(lock);
  auto looked = look_at_files(rules, held.changes, conflicts);
  if (looked) looked = check_total(held.changes);
  if (!looked) return refused(std::move(looked).error());
  std::ranges::sort(conflicts, {}, &Conflict::number);
  if (!conflicts.empty()) return Unexpected(stale(conflicts));
  for (const ChosenChange& chosen : held.changes) TRY(check_shown(chosen));
  return held;
}

}  // namespace filecall::worker::file
