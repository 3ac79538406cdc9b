// SPDX-License-Identifier: MIT
#include "worker/exec/git/diff_answer.h"

#include <fmt/core.h>
#include <git2.h>

#include <utility>
#include <vector>

#include "worker/exec/file/file_text.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/patch_text.h"

namespace filecall::worker::git {
namespace {

Json change_json(const FileChange& change) {
  Json out = {{"path", change.path()}, {"status", to_string(change.kind)}};
  const auto add_side = [&out](const char* id, const char* mode, const FileSide& side) {
    if (side.mode == 0) return;
    out[mode] = fmt::format("{:06o}", side.mode);
    if (!is_no_object(side.id)) out[id] = hex(side.id);
  };
  if (change.kind == ChangeKind::kRenamed) out["old_path"] = change.before.path;
  add_side("old_id", "old_mode", change.before);
  add_side("new_id", "new_mode", change.after);
  return out;
}

/// A file that became a link, or the reverse: git shows that one goes and another comes.
std::vector<FileChange> parts_of(const FileChange& change) {
  if (change.kind != ChangeKind::kTypeChanged) return {change};
  FileChange gone{ChangeKind::kDeleted, change.before, {change.before.path, {}, 0}};
  FileChange come{ChangeKind::kAdded, {change.after.path, {}, 0}, change.after};
  return {std::move(gone), std::move(come)};
}

/// The more telling one of two encodings.
std::string_view encoding_of_sides(const FileBytes& before, const FileBytes& after) {
  const std::string_view first = file::encoding_of(before.bytes);
  return first == "utf-8" ? file::encoding_of(after.bytes) : first;
}

FileBytes submodule_text(const git_oid& id) {
  FileBytes out;
  out.bytes = fmt::format("Subproject commit {}\n", hex(id));
  out.size = out.bytes.size();
  return out;
}

}  // namespace

Result<FileBytes> DiffAnswer::read_before(const FileSide& side) const {
  if (side.mode == 0) return FileBytes{};
  if (side.mode == GIT_FILEMODE_COMMIT) return submodule_text(side.id);
  return read_object(repository_, side.id);
}

Result<DiffAnswer::Sides> DiffAnswer::read_sides(FileChange& change) const {
  Sides sides;
  TRY_ASSIGN(sides.before, read_before(change.before));
  if (change.after.mode == 0) return sides;
  if (after_ == AfterSide::kObjects || change.after.mode == GIT_FILEMODE_COMMIT) {
    TRY_ASSIGN(sides.after, read_before(change.after));
    return sides;
  }
  TRY_ASSIGN(auto file, read_worktree_file(repository_, change.after.path));
  if (!file) {
    sides.problem = "the file was changed while it was read";
    return sides;
  }
  change.after.mode = file->mode;
  sides.after = std::move(file->content);
  if (!sides.after.is_too_large) {
    ::git_odb_hash(&change.after.id, sides.after.bytes.data(), sides.after.bytes.size(),
                   GIT_OBJECT_BLOB);
  }
  return sides;
}

Result<void> DiffAnswer::add_text(const FileChange& change, const Sides& sides, Json& entry) {
  if (sides.before.is_too_large || sides.after.is_too_large) {
    entry["too_large"] = true;
    is_cut_ = true;
    return {};
  }
  if (const auto encoding = encoding_of_sides(sides.before, sides.after); encoding != "utf-8") {
    entry["binary"] = true;
    entry["encoding"] = encoding;
    return {};
  }
  PatchText whole;
  for (const FileChange& part : parts_of(change)) {
    TRY_ASSIGN(const PatchText patch,
               make_patch(part, part.before.mode == 0 ? "" : sides.before.bytes,
                          part.after.mode == 0 ? "" : sides.after.bytes));
    whole.text += patch.text;
    whole.additions += patch.additions;
    whole.deletions += patch.deletions;
  }
  const std::size_t room = repository_.rules->config.read_bytes - text_bytes_;
  const auto slice = file::slice_lines(whole.text, 1, whole.text.size() + 1, room);
  text_bytes_ += slice.text.size();
  entry["diff"] = slice.text;
  entry["additions"] = whole.additions;
  entry["deletions"] = whole.deletions;
  additions_ += whole.additions;
  deletions_ += whole.deletions;
  if (slice.is_whole) return {};
  entry["cut"] = true;
  is_cut_ = true;
  return {};
}

Result<void> DiffAnswer::add(const FileChange& listed) {
  const file::FileConfig& limits = repository_.rules->config;
  if (files_.size() == limits.results) {
    ++left_out_;
    return {};
  }
  FileChange change = listed;
  Json entry;
  if (change.kind == ChangeKind::kConflicted || change.kind == ChangeKind::kUnreadable) {
    entry = change_json(change);
    entry["problem"] = change.kind == ChangeKind::kConflicted
                           ? "a merge left it in conflict: its file has both sides between marks"
                           : "it may not be read";
    is_cut_ = true;
  } else if (text_bytes_ >= limits.read_bytes) {
    entry = change_json(change);
    entry["cut"] = true;
    is_cut_ = true;
  } else {
    TRY_ASSIGN(const Sides sides, read_sides(change));
    entry = change_json(change);
    if (const std::string driver =
            after_ == AfterSide::kFiles ? filter_driver(repository_, change.path()) : "";
        !driver.empty()) {
      entry["filter"] = driver;
    }
    if (sides.problem.empty()) {
      TRY(add_text(change, sides, entry));
    } else {
      entry["problem"] = sides.problem;
      is_cut_ = true;
    }
  }
  files_.push_back(std::move(entry));
  return {};
}

void DiffAnswer::finish(Json& out, bool is_complete) {
  out["additions"] = additions_;
  out["deletions"] = deletions_;
  out["left_out"] = left_out_;
  out["complete"] = is_complete && left_out_ == 0 && !is_cut_;
  out["files"] = std::move(files_);
}

}  // namespace filecall::worker::git
