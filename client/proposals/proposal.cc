// SPDX-License-Identifier: MIT
#include "client/proposals/proposal.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/count_text.h"
#include "base/take_until.h"
#include "client/core/digest.h"
#include "client/proposals/shown_hunks.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"

namespace filecall::client {
namespace {

constexpr std::string_view kSchema = "command.file.apply";
constexpr std::size_t kDigits = 64;

const SchemaValidator& proposal_schema() {
  static const SchemaValidator kValidator = [] {
    const auto text = find_schema(kSchema);
    CHECK(text.has_value(), "the schema is a part of this program");
    auto compiled = SchemaValidator::compile(*text, SchemaOwner::kOurs);
    CHECK(compiled.has_value(), "our own schema is one");
    return *std::move(compiled);
  }();
  return kValidator;
}

/// Why a response has no proposal; the data of one that has.
Result<const Json*> data_in(const Json& document, std::string_view where) {
  if (!document.contains("status")) return &document;
  if (document["status"] == "success" && document.contains("data")) return &document["data"];
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: is a response with an error, not a proposal", where));
}

bool has_hunk(const Json& change, std::string_view id) {
  if (!change.contains("hunks")) return false;
  return std::ranges::any_of(change["hunks"], [&](const Json& hunk) { return hunk["id"] == id; });
}

std::vector<std::string> paths_with(const Proposal& proposal, std::string_view id) {
  std::vector<std::string> paths;
  for (const Json& change : proposal.changes) {
    if (has_hunk(change, id)) paths.push_back(change["path"].get<std::string>());
  }
  return paths;
}

/// One word of --hunks; nullopt: it is nothing of this proposal.
Result<std::optional<Json>> entry_of(const Proposal& proposal, const std::string& word) {
  if (proposal.change_of(word) != nullptr) return Json{{"path", word}};
  const auto paths = paths_with(proposal, word);
  if (paths.size() == 1) return Json(word);
  if (paths.size() > 1) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--hunks {}: stands in several files; say which: {}:{}", word,
                            fmt::join(paths, fmt::format(":{} or ", word)), word));
  }
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string path = word.substr(0, colon), id = word.substr(colon + 1);
  const Json* change = proposal.change_of(path);
  if (change == nullptr || !has_hunk(*change, id)) return std::nullopt;
  return Json{{"path", path}, {"id", id}};
}

}  // namespace

std::string Proposal::key() const {
  if (id.empty() && digest.size() == kDigits) return digest;
  const std::string what = digest.empty() ? dump_json(changes) : digest;
  const std::string hash = digest_of(id.empty() ? what : id + "\n" + what);
  return hash.substr(hash.size() - kDigits);
}

const Json* Proposal::change_of(std::string_view path) const {
  for (const Json& change : changes) {
    if (change["path"] == path) return &change;
  }
  return nullptr;
}

bool Proposal::has_conflicts() const {
  return std::ranges::any_of(changes,
                             [](const Json& change) { return change.value("conflict", false); });
}

Result<Proposal> proposal_of(const Json& data, std::string_view where) {
  Json params = Json::object();
  for (const char* name : {"changes", "digest"}) {
    if (data.is_object() && data.contains(name)) params[name] = data[name];
  }
  if (const auto violation = proposal_schema().check(params)) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: is no proposal: {}: {}; it has what file.propose answers", where,
                    violation->pointer.empty() ? "/" : violation->pointer, violation->rule));
  }
  for (const Json& change : params["changes"]) TRY(check_shown_hunks(change, where));
  return Proposal{std::move(params["changes"]), params.value("digest", "")};
}

Result<Proposal> read_proposal(std::string_view text, std::string_view where) {
  auto document = parse_json_strict(text, limits::kDepth);
  if (!document) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: {}", where, document.error().message));
  }
  TRY_ASSIGN(const Json* data, data_in(*document, where));
  return proposal_of(*data, where);
}

Result<Json> chosen_hunks(const Proposal& proposal, const std::vector<std::string>& words) {
  Json chosen = Json::array();
  for (const std::string& word : words) {
    // A path may hold a comma.
    TRY_ASSIGN(auto whole, entry_of(proposal, word));
    if (whole) {
      chosen.push_back(*std::move(whole));
      continue;
    }
    std::string_view rest = word;
    while (!rest.empty()) {
      const std::string part(take_until(&rest, ','));
      TRY_ASSIGN(auto entry, entry_of(proposal, part));
      if (!entry) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("--hunks {}: neither a hunk nor a file of the proposal; 'filecall "
                                "proposal show' has them",
                                part));
      }
      chosen.push_back(*std::move(entry));
    }
  }
  return chosen;
}

std::string size_text(const Json& changes) {
  std::int64_t hunks = 0;
  for (const Json& change : changes) {
    if (change.contains("hunks")) hunks += static_cast<std::int64_t>(change["hunks"].size());
  }
  return fmt::format("{}, {}", counted_noun(static_cast<std::int64_t>(changes.size()), "file"),
                     counted_noun(hunks, "hunk"));
}

}  // namespace filecall::client
