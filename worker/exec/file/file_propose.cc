// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <optional>
#include <set>
#include <utility>

#include "worker/exec/file/changed_text.h"
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
};

/// It cannot be made as things are; why stands in `warning`.
void set_conflict(Proposed& proposed, std::string why, Json details = {}) {
  proposed.answer["conflict"] = true;
  proposed.answer["warning"] = std::move(why);
  if (!details.is_null()) proposed.answer["conflict_details"] = std::move(details);
  proposed.after = proposed.before;
}

/// The file as it is; nothing when there is none. Other failures are the request's.
Result<std::optional<std::string>> present_of(const FileRules& rules, const std::string& path,
                                              std::string_view pointer, Json& answer) {
  SeenPlaces seen;
  auto file = read_content(rules, path, pointer, seen);
  if (!file) {
    if (file.error().code != ErrorCode::kNotFound) return Unexpected(std::move(file).error());
    return std::nullopt;
  }
  answer["path"] = name_of(rules, file->place.root, file->place.path);
  if (encoding_of(file->bytes) != "utf-8") {
    return fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("{}: '{}' is no UTF-8 text ({})", pointer, path, encoding_of(file->bytes)));
  }
  return std::move(file->bytes);
}

/// Whether the request knows the file as it is.
bool knows_present(const Json& change, const std::string& sha256) {
  return !change.contains("base_sha256") || change["base_sha256"] == sha256;
}

void propose_update(const Json& change, std::string_view pointer, Proposed& proposed) {
  const std::string path = proposed.answer["path"];
  if (!proposed.before) return set_conflict(proposed, "there is no such file to update");
  const std::string sha256 = sha256_hex(*proposed.before);
  proposed.answer["base_sha256"] = sha256;
  const bool is_known = knows_present(change, sha256);
  if (!is_known && change.contains("new_content")) {
    return set_conflict(proposed,
                        "the file is another by now, and whole new content would undo what "
                        "changed in it; read it again");
  }
  auto changed = changed_text(change, "new_content", path, *proposed.before, pointer);
  if (!changed) {
    return set_conflict(proposed, std::move(changed.error().message),
                        std::move(changed.error().details));
  }
  proposed.after = std::move(changed->content);
  proposed.answer["fit"] = std::move(changed->hunks);
  if (!is_known) {
    proposed.answer["warning"] = "the file is another by now; the change fits it all the same";
  }
}

void propose_delete(const Json& change, Proposed& proposed) {
  if (!proposed.before) return set_conflict(proposed, "there is no such file to delete");
  const std::string sha256 = sha256_hex(*proposed.before);
  proposed.answer["base_sha256"] = sha256;
  if (!knows_present(change, sha256)) {
    return set_conflict(proposed, "the file is another by now; read it again");
  }
  proposed.after = std::nullopt;
}

/// What the change comes to.
Result<Proposed> propose(const FileRules& rules, const Json& change, std::string_view pointer) {
  const std::string path = change["path"];
  const std::string operation = change["operation"];
  const std::string at = fmt::format("{}/path", pointer);
  Proposed proposed;
  proposed.answer = {{"path", path}, {"operation", operation}, {"conflict", false}};
  TRY_ASSIGN(proposed.before, present_of(rules, path, at, proposed.answer));
  TRY(check_may_change(rules, proposed.answer["path"].get<std::string>(), at));
  if (operation == "update") {
    propose_update(change, pointer, proposed);
  } else if (operation == "delete") {
    propose_delete(change, proposed);
  } else if (proposed.before) {
    set_conflict(proposed, "there is a file of that name already");
  } else if (!change.contains("new_content")) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: a create needs 'new_content'", pointer));
  } else {
    proposed.after = change["new_content"].get<std::string>();
  }
  if (proposed.after) TRY(check_size(rules, proposed.after->size(), pointer));
  return proposed;
}

Result<Json> answer_of(Proposed&& proposed) {
  const std::string path = proposed.answer["path"];
  TRY_ASSIGN(auto difference, text_difference(path, proposed.before ? &*proposed.before : nullptr,
                                              proposed.after ? &*proposed.after : nullptr));
  proposed.answer["unified_diff"] = std::move(difference.diff);
  proposed.answer["hunks"] = std::move(difference.hunks);
  const bool has_content = proposed.after && !proposed.answer["conflict"].get<bool>();
  if (has_content) proposed.answer["new_content"] = *std::move(proposed.after);
  return std::move(proposed.answer);
}

}  // namespace

Outcome file_propose(const FileJob& job) {
  Json changes = Json::array(), warnings = Json::array();
  bool has_conflicts = false;
  std::set<std::string> paths;
  for (const Json& change : job.params["changes"]) {
    if (job.is_cancelled) break;
    const std::string pointer = fmt::format("/params/changes/{}", changes.size());
    auto proposed = propose(job.rules, change, pointer);
    if (!proposed) return refused(std::move(proposed).error());
    auto answer = answer_of(*std::move(proposed));
    if (!answer) return refused(std::move(answer).error());
    const std::string path = (*answer)["path"];
    if (!paths.insert(path).second) {
      return refused(
          {ErrorCode::kInvalidArgument,
           fmt::format("{}: '{}' is changed twice; make one change of both", pointer, path)});
    }
    has_conflicts = has_conflicts || (*answer)["conflict"].get<bool>();
    if (answer->contains("warning")) {
      warnings.push_back(fmt::format("{}: {}", path, (*answer)["warning"].get<std::string>()));
    }
    changes.push_back(*std::move(answer));
  }
  const std::string digest = proposal_digest(changes);
  return Json{{"changes", std::move(changes)},
              {"has_conflicts", has_conflicts},
              {"warnings", std::move(warnings)},
              {"digest", digest}};
}

}  // namespace filecall::worker::file
