// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <optional>
#include <set>
#include <utility>

#include "worker/exec/file/changed_text.h"
#include "worker/exec/file/chosen_change.h"
#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_content.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"
#include "worker/exec/file/proposal_digest.h"

namespace filecall::worker::file {
namespace {

/// One change while it is looked at.
struct Proposed {
  Json answer;  ///< What is said of it.
  std::optional<std::string> before;
  std::optional<std::string> after;
  std::optional<unsigned> mode;  ///< Of a create.

  std::size_t bytes() const { return before.value_or("").size() + after.value_or("").size(); }
};

/// Why one change cannot be made. The others may be all the same.
Unexpected<Failure> conflict(ErrorCode code, std::string why) {
  return Unexpected(Failure::of({code, std::move(why)}));
}

/// Whether a failure is of the change, so that the request as a whole would not do better later.
bool is_of_change(ErrorCode code) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kAlreadyExists ||
         code == ErrorCode::kPermissionDenied || code == ErrorCode::kFailedPrecondition ||
         code == ErrorCode::kInvalidArgument;
}

/// It cannot be made as things are; why stands in `warning`.
void set_conflict(Proposed& proposed, Failure&& why) {
  proposed.answer["conflict"] = true;
  proposed.answer.erase("fit");
  proposed.answer["warning"] = std::move(why.message);
  Json details = why.details.is_object() ? std::move(why.details) : Json::object();
  details["error_code"] = to_string(why.code);
  proposed.answer["conflict_details"] = std::move(details);
  proposed.before = proposed.after = std::nullopt;
}

Result<void, Failure> look_at_place(const FileRules& rules, std::string_view at,
                                    Proposed& proposed) {
  const std::string path = proposed.answer["path"];
  TRY_ASSIGN(const ChangePlace place, open_for_create(rules, path, at));
  proposed.answer["path"] = name_of(rules, place.directory.root, place.path());
  if (!is_taken(place)) return {};
  return conflict(ErrorCode::kAlreadyExists, "there is a file of that name already");
}

/// Reads the file. An update is one of what a link leads to; a delete follows none.
Result<void, Failure> look_at_file(const FileRules& rules, std::string_view at,
                                   Proposed& proposed) {
  const std::string path = proposed.answer["path"];
  const std::string operation = proposed.answer["operation"];
  HeldFile file;
  auto place =
      operation == "update" ? open_target(rules, path, at) : open_for_change(rules, path, at);
  auto read = place ? Result<void>() : Result<void>(Unexpected(place.error()));
  if (place) {
    file.place = *std::move(place);
    proposed.answer["path"] = name_of(rules, file.place.directory.root, file.place.path());
    read = read_held(rules, file, fmt::format("{}: '{}'", at, path));
  }
  if (!read && read.error().code == ErrorCode::kNotFound) {
    return conflict(ErrorCode::kNotFound, fmt::format("there is no such file to {}", operation));
  }
  if (!read) return refused(std::move(read).error());
  proposed.answer["base_sha256"] = sha256_hex(file.bytes);
  const std::string_view encoding = encoding_of(file.bytes);
  if (encoding != "utf-8") {
    return conflict(ErrorCode::kFailedPrecondition,
                    fmt::format("{}: '{}' is no UTF-8 text ({}){}", at, path, encoding,
                                operation == "delete" ? "; file.delete deletes it" : ""));
  }
  proposed.before = std::move(file.bytes);
  return {};
}

/// Whether the request knows the file as it is.
bool knows_present(const Json& change, const Proposed& proposed) {
  return !change.contains("base_sha256") || change["base_sha256"] == proposed.answer["base_sha256"];
}

Result<void, Failure> propose_update(const Json& change, std::string_view pointer,
                                     Proposed& proposed) {
  const bool is_known = knows_present(change, proposed);
  if (!is_known && change.contains("new_content")) {
    return conflict(ErrorCode::kFailedPrecondition,
                    "the file is another by now, and whole new content would undo what "
                    "changed in it; read it again");
  }
  TRY_ASSIGN(auto changed,
             changed_text(change, "new_content", proposed.answer["path"].get<std::string>(),
                          *proposed.before, pointer));
  proposed.after = std::move(changed.content);
  proposed.answer["fit"] = std::move(changed.hunks);
  if (!is_known) {
    proposed.answer["warning"] = "the file is another by now; the change fits it all the same";
  }
  return {};
}

/// What the schema cannot say.
Result<void, Failure> check_members(const Json& change, std::string_view pointer) {
  const bool is_create = change["operation"] == "create";
  if (is_create && !change.contains("new_content")) {
    return conflict(ErrorCode::kInvalidArgument,
                    fmt::format("{}: a create needs 'new_content'", pointer));
  }
  if (!is_create && change.contains("mode")) {
    return conflict(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: 'mode' is of a create; a file that is there keeps its own", pointer));
  }
  return {};
}

Result<void, Failure> work_out_change(const FileRules& rules, const Json& change,
                                      std::string_view pointer, Proposed& proposed) {
  const std::string operation = change["operation"];
  const std::string at = fmt::format("{}/path", pointer);
  TRY(check_members(change, pointer));
  if (operation == "create") {
    TRY(look_at_place(rules, at, proposed));
    proposed.after = change["new_content"].get<std::string>();
    proposed.mode = mode_param(change);
    if (proposed.mode) proposed.answer["mode"] = fmt::format("{:04o}", *proposed.mode);
  } else {
    TRY(look_at_file(rules, at, proposed));
  }
  if (operation == "update") TRY(propose_update(change, pointer, proposed));
  if (operation == "delete" && !knows_present(change, proposed)) {
    return conflict(ErrorCode::kFailedPrecondition, "the file is another by now; read it again");
  }
  if (!proposed.after) return {};
  TRY(check_size(rules, proposed.after->size(), pointer));
  return {};
}

/// The difference, into the answer.
Result<void, Failure> show(Proposed& proposed) {
  const std::string path = proposed.answer["path"];
  TRY_ASSIGN(auto difference,
             text_difference(path, proposed.before ? &*proposed.before : nullptr,
                             proposed.after ? &*proposed.after : nullptr, proposed.mode));
  proposed.answer["unified_diff"] = std::move(difference.diff);
  proposed.answer["hunks"] = std::move(difference.hunks);
  if (proposed.after) proposed.answer["new_content"] = *std::move(proposed.after);
  return {};
}

/// What the change comes to; takes what it holds off `bytes_left`. Failure: the request's.
Result<Json, Failure> propose(const FileRules& rules, const Json& change, std::string_view pointer,
                              std::size_t& bytes_left) {
  Proposed proposed;
  proposed.answer = {{"path", change["path"]},
                     {"operation", change["operation"]},
                     {"conflict", false},
                     {"unified_diff", ""},
                     {"hunks", Json::array()}};
  auto made = work_out_change(rules, change, pointer, proposed);
  const std::size_t bytes = proposed.bytes();
  if (made && bytes > bytes_left) {
    made =
        conflict(ErrorCode::kFailedPrecondition,
                 fmt::format("{}: old and new contents of a proposal may have {} bytes together; "
                             "propose this change in another one",
                             pointer, kChangedBytesMax));
  }
  if (made) {
    bytes_left -= bytes;
    made = show(proposed);
  }
  if (!made && !is_of_change(made.error().code)) return Unexpected(std::move(made).error());
  if (!made) set_conflict(proposed, std::move(made).error());
  return std::move(proposed.answer);
}

}  // namespace

Outcome file_propose(const FileJob& job) {
  Json changes = Json::array(), warnings = Json::array();
  bool has_conflicts = false;
  std::set<std::string> paths;
  std::size_t bytes_left = kChangedBytesMax;
  for (const Json& change : job.params["changes"]) {
    if (job.is_cancelled) break;
    const std::string pointer = fmt::format("/params/changes/{}", changes.size());
    TRY_ASSIGN(Json answer, propose(job.rules, change, pointer, bytes_left));
    const std::string path = answer["path"];
    if (!paths.insert(path).second) {
      return refused(
          {ErrorCode::kInvalidArgument,
           fmt::format("{}: '{}' is changed twice; make one change of both", pointer, path)});
    }
    has_conflicts = has_conflicts || answer["conflict"].get<bool>();
    if (answer.contains("warning")) {
      warnings.push_back(fmt::format("{}: {}", path, answer["warning"].get<std::string>()));
    }
    changes.push_back(std::move(answer));
  }
  const std::string digest = proposal_digest(changes);
  return Json{{"changes", std::move(changes)},
              {"has_conflicts", has_conflicts},
              {"warnings", std::move(warnings)},
              {"digest", digest}};
}

}  // namespace filecall::worker::file
