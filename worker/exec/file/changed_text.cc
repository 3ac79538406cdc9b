// SPDX-License-Identifier: MIT
#include "worker/exec/file/changed_text.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "edit/file_edit.h"
#include "edit/patch_reader.h"
#include "edit/text_diff.h"
#include "edit/text_form.h"
#include "edit/unified_writer.h"

namespace filecall::worker::file {
namespace {

Unexpected<Failure> invalid(std::string message) {
  return Unexpected(Failure::of({ErrorCode::kInvalidArgument, std::move(message)}));
}

/// Why the text does not take it, with what a program needs to repair it.
Failure failure_of(const edit::EditRefusal& refusal, std::string_view pointer,
                   std::string_view path) {
  Failure failure;
  failure.code = refusal.code();
  failure.message = fmt::format("{}: '{}': {}", pointer, path, refusal.message());
  failure.details = Json{{"reason", edit::to_string(refusal.reason)}};
  if (refusal.hunk > 0) failure.details["hunk"] = refusal.hunk;
  if (refusal.candidate_count > 0) {
    failure.details["candidates"] = refusal.candidates;
    failure.details["candidate_count"] = refusal.candidate_count;
  }
  if (refusal.divergence) {
    failure.details["nearest_line"] = refusal.divergence->place;
    failure.details["line"] = refusal.divergence->file_line;
    failure.details["hunk_line"] = refusal.divergence->hunk_line;
  }
  return failure;
}

ChangedText of_edited(edit::EditedText&& edited) {
  ChangedText text{std::move(edited.content)};
  for (const edit::AppliedHunk& hunk : edited.hunks) {
    Json entry = {{"grade", edit::to_string(hunk.grade)}, {"line", hunk.line}};
    if (!hunk.note.empty()) entry["note"] = hunk.note;
    text.hunks.push_back(std::move(entry));
  }
  return text;
}

Result<std::vector<edit::PatchHunk>, Failure> hunks_of(const std::string& patch,
                                                       std::string_view path,
                                                       std::string_view pointer) {
  auto files = edit::read_patch(patch);
  if (!files) {
    return Unexpected(Failure::of(
        {files.error().code, fmt::format("{}/patch: {}", pointer, files.error().message)}));
  }
  if (files->size() != 1) {
    return invalid(fmt::format("{}/patch: is of {} files; give each file a change of its own",
                               pointer, files->size()));
  }
  edit::FilePatch& file = files->front();
  if (!names_file(file.path, path)) {
    return invalid(fmt::format("{}/patch: is of '{}', not of '{}'", pointer, file.path, path));
  }
  if (file.operation != edit::Operation::kUpdate || !file.new_path.empty()) {
    return invalid(fmt::format(
        "{}/patch: creates, deletes or moves the file; a change of content is wanted", pointer));
  }
  if (file.mode) {
    return invalid(fmt::format(
        "{}/patch: changes the mode of the file; a change of content is wanted, and the file keeps "
        "its mode (leave out the lines 'old mode' and 'new mode')",
        pointer));
  }
  return std::move(file.hunks);
}

std::vector<edit::TextEdit> edits_of(const Json& list) {
  std::vector<edit::TextEdit> edits;
  for (const Json& item : list) {
    edits.push_back({item["old"].get<std::string>(), item["new"].get<std::string>()});
  }
  return edits;
}

Json hunk_json(const edit::DiffHunk& hunk) {
  return {{"id", hunk.id},
          {"header", edit::hunk_header(hunk.hunk)},
          {"diff", edit::hunk_body(hunk.hunk)}};
}

}  // namespace

bool names_file(std::string_view patch_path, std::string_view path) {
  while (patch_path.starts_with("./")) patch_path.remove_prefix(2);
  if (patch_path.empty() || patch_path == path) return true;
  const std::string_view longer = patch_path.size() > path.size() ? patch_path : path;
  const std::string_view shorter = patch_path.size() > path.size() ? path : patch_path;
  return longer.ends_with(shorter) && longer[longer.size() - shorter.size() - 1] == '/';
}

Result<ChangedText, Failure> changed_text(const Json& change, const char* content_name,
                                          std::string_view path, std::string_view present,
                                          std::string_view pointer) {
  const int given = static_cast<int>(change.contains("edits")) +
                    static_cast<int>(change.contains("patch")) +
                    static_cast<int>(change.contains(content_name));
  if (given != 1) {
    return invalid(fmt::format("{}: say one of 'edits', 'patch' and '{}'", pointer, content_name));
  }
  if (change.contains(content_name)) {
    return ChangedText{edit::in_form_of(present, change[content_name].get<std::string>())};
  }
  Result<edit::EditedText, edit::EditRefusal> edited = edit::EditedText{};
  if (change.contains("edits")) {
    edited = edit::apply_edits(present, edits_of(change["edits"]));
  } else {
    TRY_ASSIGN(const auto hunks, hunks_of(change["patch"].get<std::string>(), path, pointer));
    edited = edit::apply_hunks(present, hunks);
  }
  if (!edited) return Unexpected(failure_of(edited.error(), pointer, path));
  return of_edited(*std::move(edited));
}

Result<TextDifference> text_difference(std::string_view path, const std::string* before,
                                       const std::string* after, std::optional<unsigned> mode) {
  static const std::string kNothing;
  TRY_ASSIGN(auto hunks, edit::diff_texts(before == nullptr ? kNothing : *before,
                                          after == nullptr ? kNothing : *after));
  TextDifference out;
  edit::FilePatch patch;
  patch.path = path;
  patch.operation = before == nullptr  ? edit::Operation::kCreate
                    : after == nullptr ? edit::Operation::kDelete
                                       : edit::Operation::kUpdate;
  for (edit::DiffHunk& hunk : hunks) {
    out.hunks.push_back(hunk_json(hunk));
    patch.hunks.push_back(std::move(hunk.hunk));
  }
  if (patch.operation == edit::Operation::kCreate) patch.mode = mode;
  if (!patch.hunks.empty() || patch.mode) out.diff = edit::print_unified_diff({&patch, 1});
  return out;
}

Result<ShownDifference> shown_difference(std::string_view path, const std::string& before,
                                         const std::string& after, std::size_t bytes_max) {
  TRY_ASSIGN(auto hunks, edit::diff_texts(before, after));
  edit::FilePatch patch;
  patch.path = path;
  std::size_t bytes = 0;
  for (const edit::DiffHunk& hunk : hunks) {
    bytes += edit::hunk_header(hunk.hunk).size() + 1 + edit::hunk_body(hunk.hunk).size();
    if (bytes > bytes_max) break;
    patch.hunks.push_back(hunk.hunk);
  }
  ShownDifference out;
  for (; !patch.hunks.empty(); patch.hunks.pop_back()) {
    out.diff = edit::print_unified_diff({&patch, 1});
    if (out.diff.size() <= bytes_max) break;
    out.diff.clear();  // The lines with names need room as well.
  }
  out.left_out = hunks.size() - patch.hunks.size();
  return out;
}

}  // namespace filecall::worker::file
