// SPDX-License-Identifier: MIT
#include "client/report/items/item_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/core/cached_answer.h"
#include "client/core/digest.h"
#include "client/grades/grade_log.h"
#include "client/grades/preference_log.h"
#include "client/service/last_answer.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

std::optional<std::string> content_of(const std::string& path) {
  auto bytes = read_regular_file(path, limits::kResponseBytesMax);
  if (!bytes) return std::nullopt;
  return std::move(*bytes);
}

/// Of a request's own file, when no run says otherwise.
Json own_metadata(const ItemFiles& files) {
  if (!files.request) return nullptr;
  const auto request = parse_json_strict(*files.request, limits::kDepthMax);
  return request && request->is_object() ? request->value("metadata", Json()) : Json();
}

/// `metadata`: the run's; null: the request's file tells.
ItemFiles files_of(const spool::Layout& layout, const RequestEntry& entry, const GradeLog& log,
                   const std::string& evaluation, const Json& metadata) {
  ItemFiles files;
  files.metadata = metadata;
  const auto note = [&](const std::string& path) {
    files.names.push_back(path.substr(layout.root().size() + 1));
  };
  files.request = content_of(layout.request(entry.request_id));
  if (files.request) note(layout.request(entry.request_id));
  if (!is_final(entry.state)) return files;
  if (auto answer = last_answer(layout, entry.request_id, entry.state)) {
    if (answer->is_from_cache && !files.request) files.request = request_in_answer(answer->bytes);
    files.response = std::move(answer->bytes);
    note(answer->path);
  }
  if (evaluation.empty()) return files;
  std::string labels;
  if (log.has_several(entry.request_id, evaluation)) {
    labels = metadata_digest_of(metadata.is_null() ? own_metadata(files) : metadata);
  }
  if (auto found = log.find_text(entry.request_id, evaluation, labels)) {
    if (!*found) return files;
    files.evaluations = std::move((*found)->text);
    note((*found)->is_line ? layout.grades() : layout.eval(entry.request_id));
  } else {
    files.evaluation_problem = found.error().message;
  }
  return files;
}

/// Of a conversation the last request of the model is shown, and its answer.
void take_conversation_files(const spool::Layout& layout, const ConversationLook& look,
                             ItemFiles& files) {
  files.response.reset();
  if (look.last_id.empty()) return;
  files.request = content_of(layout.request(look.last_id));
  files.response = look.last_bytes;
  for (const ConversationStep& step : look.conversation.steps()) {
    const std::string path = layout.response(step.request_id);
    const bool is_first = step.request_id == look.conversation.first_id();
    if (is_first || step.request_id.empty() || !step.has_ended) continue;
    files.names.push_back(path.substr(layout.root().size() + 1));
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + excerpt(name, 60);
  return out;
}

/// Which of these evaluations have graded requests of the scope: looks no further than to two.
Result<std::vector<std::string>> names_in_scope(const spool::Layout& layout, Ledger& ledger,
                                                const RunScope& scope,
                                                const std::vector<std::string>& names) {
  TRY_ASSIGN(const GradeLog log, GradeLog::open(layout));
  std::vector<std::string> found;
  TRY(scope.each(ledger, [&](const RunScope::Member& member) {
    for (const std::string& name : names) {
      if (std::find(found.begin(), found.end(), name) != found.end()) continue;
      const auto text = log.find_text(member.entry.request_id, name);
      // What cannot be read may be a grade.
      if (!text || *text) found.push_back(name);
    }
    return found.size() < 2;
  }));
  return found;
}

}  // namespace

bool fits_filter(const ReportItem& item, const ItemFilter& filter) {
  const auto fits = [](const std::string& wanted, const std::string& value) {
    return wanted.empty() || wanted == value;
  };
  return fits(filter.model, item.subject()) && fits(filter.prompt, item.prompt_name) &&
         fits(filter.provider, item.provider);
}

Result<std::string> read_items(Ledger& ledger, const spool::Layout& layout, const RunScope& scope,
                               const ItemFilter& filter,
                               const std::function<void(const ReportItem&)>& visit) {
  TRY_ASSIGN(const GradeLog log, GradeLog::open(layout));
  TRY(scope.each(ledger, [&](const RunScope::Member& member) {
    if (member.run_result.is_superseded) return true;
    const RequestEntry& entry = member.entry;
    ItemFiles files = files_of(layout, entry, log, filter.evaluation, member.metadata);
    files.conversation = member.conversation;
    if (member.conversation != nullptr) {
      take_conversation_files(layout, *member.conversation, files);
    }
    ReportItem item = make_report_item(entry, files, filter.evaluation,
                                       filter.prices ? *filter.prices : TokenPrices());
    if (filter.with_digests && files.response) item.response_digest = digest_of(*files.response);
    if (!item.is_question && !item.is_within && fits_filter(item, filter)) visit(item);
    return true;
  }));
  return log.damage();
}

Result<std::vector<std::string>> evaluation_names(const spool::Layout& layout) {
  TRY_ASSIGN(const GradeLog log, GradeLog::open(layout));
  const auto names = log.names();
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::string> choose_evaluation(const spool::Layout& layout, Ledger& ledger,
                                      const RunScope& scope, const std::string& wanted) {
  TRY_ASSIGN(const std::vector<std::string> names, evaluation_names(layout));
  if (!wanted.empty()) {
    if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
    TRY_ASSIGN(const PreferenceLog preferences, PreferenceLog::open(layout, wanted));
    if (!preferences.empty()) return std::string();
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: no evaluation of that name; there {}", excerpt(wanted, 60),
                            names.empty() ? "is none in this root" : "is: " + joined(names)));
  }
  if (names.size() < 2) return names.empty() ? std::string() : names.front();
  TRY_ASSIGN(const std::vector<std::string> meant, names_in_scope(layout, ledger, scope, names));
  if (meant.size() > 1) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("several evaluations are there; name one with --eval (compare: @eval=NAME): {}",
                    joined(names)));
  }
  return meant.empty() ? std::string() : meant.front();
}

}  // namespace filecall::client
