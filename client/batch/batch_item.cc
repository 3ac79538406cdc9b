// SPDX-License-Identifier: MIT
#include "client/batch/batch_item.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "base/result.h"
#include "ipc/json.h"
#include "ipc/json_discard.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

const std::vector<std::string_view> kMembers = {"request_id", "command",  "params",
                                                "timeout_ms", "priority", "metadata",
                                                "stream",     "after",    "after_any"};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// A name as the beginning of a file name: room is left for the hash and an occurrence.
std::string id_prefix(std::string_view name) {
  std::string prefix(name.substr(0, 120));
  for (char& c : prefix) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  if (prefix.starts_with('.')) prefix.front() = '_';
  return prefix;
}

std::string with_id_member(std::string_view text, std::string_view id) {
  const std::string_view body = trim(text);
  return fmt::format("{{\"request_id\":{},{}", dump_json(Json(std::string(id))), body.substr(1));
}

/// Of a text that was read before: with that id, and without what it waits for.
std::string rewritten(std::string_view text, std::string_view id) {
  auto json = parse_json_strict(text, limits::kDepth);
  CHECK(json.has_value(), "only what was read is rewritten");
  (*json)["request_id"] = std::string(id);
  json->erase("after");
  json->erase("after_any");
  return dump_json(*json);
}

/// The id that the object states; nullopt when it states none.
Result<std::optional<std::string>, std::string> stated_id(const Json& json) {
  const auto member = json.find("request_id");
  if (member == json.end()) return std::optional<std::string>();
  if (!member->is_string()) return std::string("/request_id: must be a string");
  std::optional<std::string> id = member->get<std::string>();
  if (!is_valid_stem(*id)) {
    return fmt::format(
        "/request_id: '{}' cannot name a file; use 1 to {} bytes without '/', control characters "
        "or a leading dot",
        *id, kStemBytesMax);
  }
  return id;
}

/// Of the text `{...}` without its id and its labels.
std::uint64_t content_hash(Json& json) {
  auto id = json.get_ptr<Json::object_t*>()->extract("request_id");
  Json::object_t* metadata = nullptr;
  if (const auto found = json.find("metadata"); found != json.end()) {
    metadata = found->get_ptr<Json::object_t*>();
  }
  Json::object_t::node_type vars;
  if (metadata != nullptr) vars = metadata->extract("vars");
  auto* members = json.get_ptr<Json::object_t*>();
  // These say when it is asked, not what.
  std::array<Json::object_t::node_type, 3> when = {
      members->extract("after"), members->extract("after_any"), members->extract("priority")};
  const std::uint64_t hash = hash64(dump_json(json));
  for (auto& member : when) {
    if (member) members->insert(std::move(member));
  }
  if (vars) metadata->insert(std::move(vars));
  if (id) json.get_ptr<Json::object_t*>()->insert(std::move(id));
  return hash;
}

/// `after` and `after_any`.
Result<void, std::string> read_after(const Json& json, BatchItem& item) {
  const auto after = json.find("after");
  const auto any = json.find("after_any");
  if (any != json.end()) {
    const auto mode = any->is_string() ? parse_after_any(any->get<std::string>()) : std::nullopt;
    if (!mode) return std::string("/after_any: must be \"success\" or \"end\"");
    if (after == json.end()) {
      return std::string("/after_any: says nothing without after; name there whom it waits for");
    }
    item.after_any = *mode;
  }
  if (after == json.end()) return {};
  item.has_after = true;
  if (!after->is_array()) {
    return std::string("/after: must be an array of request ids, such as [\"a\", \"b\"]");
  }
  for (std::size_t i = 0; i < after->size(); ++i) {
    const auto* id = (*after)[i].get_ptr<const std::string*>();
    if (id == nullptr || !is_valid_stem(*id)) {
      return fmt::format("/after/{}: is no request id", i);
    }
    item.after.push_back(*id);
  }
  return {};
}

/// What the text states about itself: all but the content.
Result<BatchItem, std::string> read_head(const Json& json, std::optional<std::string_view> stem) {
  if (!json.is_object()) return std::string("a request must be a JSON object");
  const auto command = json.find("command");
  if (command == json.end() || !command->is_string()) {
    return std::string("/command: is missing or not a string");
  }
  TRY_ASSIGN(auto id, stated_id(json));
  if (id && stem && *id != *stem) {
    return fmt::format("/request_id: '{}' differs from the file's name '{}.json'", *id, *stem);
  }
  BatchItem item;
  item.command = command->get<std::string>();
  item.has_id_member = id.has_value();
  item.is_derived = !id && !stem;
  const auto metadata = json.find("metadata");
  if (metadata != json.end()) item.metadata = dump_json(*metadata);
  if (!item.is_derived) item.id = id ? std::move(*id) : std::string(*stem);
  // The rules of a request say which numbers it may be.
  const auto priority = json.find("priority");
  if (priority != json.end() && priority->is_number_integer()) {
    item.priority = static_cast<int>(std::clamp<std::int64_t>(
        priority->get<std::int64_t>(), limits::kPriorityMin, limits::kPriorityMax));
  }
  TRY(read_after(json, item));
  return item;
}

/// All rules of a request; the text itself is strict JSON already.
Result<void, std::string> check_rules(Json&& json, const BatchItem& item, std::string_view text) {
  const std::size_t bytes = item.has_id_member ? text.size() : with_id_member(text, item.id).size();
  if (bytes > limits::kRequestBytes) {
    return Unexpected(
        fmt::format("longer than {} bytes, the largest request", limits::kRequestBytes));
  }
  if (!item.has_id_member) json["request_id"] = item.id;
  json.erase("after");
  json.erase("after_any");
  auto request = filecall::read_request(std::move(json), item.id);
  if (!request) return Unexpected(std::move(request.error().message));
  discard(request->params);
  return {};
}

Result<BatchItem, std::string> read_whole(std::string_view text,
                                          std::optional<std::string_view> stem, ItemCheck check,
                                          const DerivedIdentity& identity,
                                          const ProviderCatalog& catalog) {
  auto json = parse_json_strict(text, limits::kDepth);
  if (!json) return std::move(json.error().message);
  TRY_ASSIGN(BatchItem item, read_head(*json, stem));
  item.content = identity.content ? *identity.content : content_hash(*json);
  if (item.is_derived) {
    const std::string_view name = identity.name.empty() ? item.command : identity.name;
    item.id = fmt::format("{}-{:016x}", id_prefix(name), item.content);
  }
  if (check == ItemCheck::kFull) {
    for (const auto& [member, value] : json->items()) {
      if (std::find(kMembers.begin(), kMembers.end(), member) == kMembers.end()) {
        item.unknown.push_back(member);
      }
    }
    if (const auto params = json->find("params"); params != json->end()) {
      std::string complaint = params_complaint(item.command, *params, catalog);
      if (!complaint.empty()) return complaint;
      item.has_options = has_optional_params(item.command, *params);
    }
    TRY(check_rules(std::move(*json), item, text));
  } else {
    discard(*json);
  }
  return item;
}

}  // namespace

Result<BatchItem, std::string> read_batch_item(std::string_view text,
                                               std::optional<std::string_view> stem,
                                               ItemCheck check, const DerivedIdentity& identity,
                                               const ProviderCatalog& catalog) {
  if (check == ItemCheck::kTrusted) {
    // Only a derived id needs more than the head, and params are nearly all of a request.
    auto head = parse_strict(text, limits::kDepth, Strictness::kRequest, "JSON",
                             {.parent = {}, .member = "params"});
    if (!head) return head.error().message;
    TRY_ASSIGN(BatchItem item, read_head(*head, stem));
    discard(*head);
    if (!item.is_derived) return item;
  }
  return read_whole(text, stem, check, identity, catalog);
}

std::string conversion_hint(std::string_view text, std::string_view file) {
  const std::string_view body = trim(text);
  const bool is_array = body.starts_with('[');
  // An object that does not end on its line.
  const bool is_spread =
      body.starts_with('{') && std::string_view("{[,").find(body.back()) != std::string_view::npos;
  if (!is_array && !is_spread) return {};
  const std::string input = file == "-" ? "" : fmt::format(" '{}'", file);
  return fmt::format(
      "{}; a batch has one request object a line: jq -c {}{} > batch.jsonl makes it "
      "so",
      is_array ? "this is a JSON array" : "this is JSON over several lines",
      is_array ? "'.[]'" : ".", input);
}

std::string unknown_member_text(std::string_view name) {
  std::vector<std::string_view> optional = kMembers;
  const std::string_view near = nearest_name(name, optional);
  return fmt::format("/{}: no member of a request, so it does nothing; {}", name,
                     near.empty() ? "what only you need goes into metadata"
                                  : fmt::format("did you mean {}?", near));
}

std::string unknown_members_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : "; ") + unknown_member_text(name);
  }
  return text;
}

Result<void, std::string> end_id(BatchItem& item, std::string_view ending) {
  if (ending.empty()) return {};
  item.id += ending;
  item.is_renamed = item.has_id_member;
  if (is_valid_stem(item.id)) return {};
  return Unexpected(
      fmt::format("/request_id: '{}' is too long, an id has at most {} bytes; shorten it, or the "
                  "run's id",
                  item.id, kStemBytesMax));
}

std::string occurrence_id(std::string_view base, std::int64_t occurrence) {
  return occurrence <= 1 ? std::string(base) : fmt::format("{}-{}", base, occurrence);
}

Submission make_submission(const BatchItem& item, std::string_view text, std::string id) {
  std::string bytes = item.is_renamed || item.has_after ? rewritten(text, id)
                      : item.has_id_member              ? std::string(trim(text))
                                                        : with_id_member(text, id);
  bytes += '\n';
  return {std::move(id), item.command, std::move(bytes)};
}

}  // namespace filecall::client
