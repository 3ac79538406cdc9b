// SPDX-License-Identifier: MIT
#include "client/batch/batch_item.h"

#include <fmt/core.h>

#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "ipc/json.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

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

std::uint64_t content_hash(Json json) {
  json.erase("request_id");
  return hash64(dump_json(json));
}

}  // namespace

Result<BatchItem, std::string> read_batch_item(std::string_view text,
                                               std::optional<std::string_view> stem,
                                               ItemCheck check, std::string_view name) {
  auto parsed = parse_json_strict(text, limits::kDepth);
  if (!parsed) return std::move(parsed.error().message);
  Json& json = *parsed;
  if (!json.is_object()) return std::string("a request must be a JSON object");
  const auto command = json.find("command");
  if (command == json.end() || !command->is_string()) {
    return std::string("/command: is missing or not a string");
  }
  TRY_ASSIGN(auto id, stated_id(json));

  BatchItem item;
  item.command = command->get<std::string>();
  item.has_id_member = id.has_value();
  if (id && stem && *id != *stem) {
    return fmt::format("/request_id: '{}' differs from the file's name '{}.json'", *id, *stem);
  }
  item.content = content_hash(std::move(json));
  if (id) {
    item.id = std::move(*id);
  } else if (stem) {
    item.id = std::string(*stem);
  } else {
    item.is_derived = true;
    item.id =
        fmt::format("{}-{:016x}", id_prefix(name.empty() ? item.command : name), item.content);
  }
  if (check == ItemCheck::kFull) {
    const std::string whole =
        item.has_id_member ? std::string(text) : with_id_member(text, item.id);
    auto request = parse_request(whole, item.id);
    if (!request) return std::move(request.error().message);
  }
  return item;
}

std::string occurrence_id(std::string_view base, std::int64_t occurrence) {
  return occurrence <= 1 ? std::string(base) : fmt::format("{}-{}", base, occurrence);
}

Submission make_submission(const BatchItem& item, std::string_view text, std::string id) {
  std::string bytes = item.has_id_member ? std::string(trim(text)) : with_id_member(text, id);
  bytes += '\n';
  return {std::move(id), item.command, std::move(bytes)};
}

}  // namespace filecall::client
