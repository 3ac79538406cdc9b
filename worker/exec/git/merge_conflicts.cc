// SPDX-License-Identifier: MIT
#include "worker/exec/git/merge_conflicts.h"

#include <memory>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "edit/text_merge.h"
#include "worker/exec/file/file_text.h"
#include "worker/exec/git/file_sides.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

using ConflictIterator =
    std::unique_ptr<git_index_conflict_iterator, GitFree<git_index_conflict_iterator_free>>;

/// The three entries of one conflict; null: that side has no such file.
struct Conflict {
  const git_index_entry* base = nullptr;
  const git_index_entry* ours = nullptr;
  const git_index_entry* theirs = nullptr;

  std::string path() const {
    for (const git_index_entry* side : {ours, theirs, base}) {
      if (side != nullptr) return side->path;
    }
    return "";
  }
  bool hides(const HiddenNames& hidden) const {
    for (const git_index_entry* side : {ours, theirs, base}) {
      if (side != nullptr && (hidden.hides(side->path) || !is_valid_utf8(side->path))) return true;
    }
    return false;
  }
};

std::string_view kind_of_conflict(const Conflict& conflict) {
  if (conflict.ours == nullptr && conflict.theirs == nullptr) return "both_deleted";
  if (conflict.ours == nullptr) return "deleted_by_us";
  if (conflict.theirs == nullptr) return "deleted_by_them";
  return conflict.base == nullptr ? "both_added" : "both_changed";
}

bool is_file(const git_index_entry* side) {
  return side == nullptr || (side->mode & 0170000) == 0100000;
}

Result<FileBytes> content_of(const OpenRepository& repository, const git_index_entry* side) {
  if (side == nullptr) return FileBytes{};
  return read_object(repository, side->id);
}

/// Adds the three-way text, as far as there is room.
Result<void> add_text(const OpenRepository& repository, const Conflict& conflict, std::size_t& room,
                      MergeConflicts& out, Json& entry) {
  if (!is_file(conflict.base) || !is_file(conflict.ours) || !is_file(conflict.theirs)) return {};
  TRY_ASSIGN(const FileBytes base, content_of(repository, conflict.base));
  TRY_ASSIGN(const FileBytes ours, content_of(repository, conflict.ours));
  TRY_ASSIGN(const FileBytes theirs, content_of(repository, conflict.theirs));
  if (base.is_too_large || ours.is_too_large || theirs.is_too_large) {
    entry["too_large"] = true;
    out.is_cut = true;
    return {};
  }
  for (const FileBytes* side : {&base, &ours, &theirs}) {
    if (const auto encoding = file::encoding_of(side->bytes); encoding != "utf-8") {
      entry["encoding"] = encoding;
      return {};
    }
  }
  TRY_ASSIGN(const edit::MergedText merged,
             edit::merge_texts(base.bytes, ours.bytes, theirs.bytes, {"base", "ours", "theirs"}));
  const auto slice = file::slice_lines(merged.content, 1, merged.content.size() + 1, room);
  room -= slice.text.size();
  entry["text"] = slice.text;
  if (slice.is_whole) return {};
  entry["cut"] = true;
  out.is_cut = true;
  return {};
}

}  // namespace

Result<MergeConflicts> describe_conflicts(const OpenRepository& repository, git_index* merged) {
  MergeConflicts out;
  ConflictIterator all;
  int status = ::git_index_conflict_iterator_new(Out(all), merged);
  if (status < 0) return git_failed(status, "the conflicts");
  std::size_t room = repository.rules->config.read_bytes;
  Conflict conflict;
  while ((status = ::git_index_conflict_next(&conflict.base, &conflict.ours, &conflict.theirs,
                                             all.get())) == 0) {
    ++out.count;
    if (conflict.hides(repository.hidden) || out.list.size() == repository.rules->config.results) {
      ++out.left_out;
      continue;
    }
    Json entry = {{"path", conflict.path()}, {"kind", kind_of_conflict(conflict)}};
    TRY(add_text(repository, conflict, room, out, entry));
    out.list.push_back(std::move(entry));
  }
  if (status != GIT_ITEROVER) return git_failed(status, "the conflicts");
  return out;
}

}  // namespace filecall::worker::git
