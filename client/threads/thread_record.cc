// SPDX-License-Identifier: MIT
#include "client/threads/thread_record.h"

#include <fmt/core.h>

#include <charconv>

#include "base/hash.h"
#include "base/time.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

constexpr std::string_view kSeqBegin = R"({"seq":)";
constexpr std::string_view kCheckBegin = R"(,"check":")";
constexpr std::string_view kCheckEnd = R"("})";
constexpr std::size_t kCheckDigits = 16;
constexpr std::size_t kTailBytes = kCheckBegin.size() + kCheckDigits + kCheckEnd.size();

std::string check_of(std::string_view bytes) { return fmt::format("{:016x}", hash64(bytes)); }

/// Sixteen lower-case hex digits; nullopt: others.
std::optional<std::uint64_t> check_in(std::string_view digits) {
  std::uint64_t check = 0;
  for (const char c : digits) {
    const bool is_letter = c >= 'a' && c <= 'f';
    if (!is_letter && (c < '0' || c > '9')) return {};
    check = check * 16 + static_cast<std::uint64_t>(is_letter ? c - 'a' + 10 : c - '0');
  }
  return check;
}

/// Takes `before` and a text up to its closing quote off the line; false: it does not begin so.
bool take_text(std::string_view& line, std::string_view before, std::string_view& out) {
  if (!line.starts_with(before)) return false;
  line.remove_prefix(before.size());
  for (std::size_t end = 0; end < line.size(); ++end) {
    if (line[end] == '"') {
      out = line.substr(0, end);
      line.remove_prefix(end + 1);
      return true;
    }
    if (line[end] == '\\') ++end;
  }
  return false;
}

/// What a line says before its check; nullopt: it has no such check.
std::optional<std::string_view> verified_part(std::string_view line) {
  if (line.size() <= kTailBytes) return {};
  const std::string_view tail = line.substr(line.size() - kTailBytes);
  if (!tail.starts_with(kCheckBegin) || !tail.ends_with(kCheckEnd)) return {};
  const std::string_view part = line.substr(0, line.size() - kTailBytes);
  if (check_in(tail.substr(kCheckBegin.size(), kCheckDigits)) != hash64(part)) return {};
  return part;
}

bool has_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string();
}

}  // namespace

std::string render_thread_line(const ThreadRecord& record) {
  std::string line(kSeqBegin);
  append_json_integer(line, record.seq);
  line += R"(,"at":)";
  append_json_string(line, record.at);
  line += R"(,"type":)";
  append_json_string(line, record.type);
  if (!record.run.empty()) {
    line += R"(,"run":)";
    append_json_string(line, record.run);
  }
  line += R"(,"data":)";
  append_json(line, record.data);
  const std::string check = check_of(line);
  line.append(kCheckBegin).append(check).append(kCheckEnd);
  return line;
}

Json record_json(const ThreadRecord& record) {
  Json json = {
      {"seq", record.seq}, {"at", record.at}, {"type", record.type}, {"data", record.data}};
  if (!record.run.empty()) json["run"] = record.run;
  return json;
}

Result<ThreadLineHead, std::string> read_thread_line_head(std::string_view line) {
  if (!verified_part(line)) {
    return std::string(line.empty() ? "an empty line" : "its check is not that of its bytes");
  }
  ThreadLineHead head;
  if (line.starts_with(kSeqBegin)) {
    line.remove_prefix(kSeqBegin.size());
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), head.seq);
    if (error != std::errc{} || end == line.data() + line.size()) head.seq = 0;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  if (head.seq < 1) return std::string("its 'seq' is no number from 1");
  if (!take_text(line, R"(,"at":")", head.at) || !take_text(line, R"(,"type":")", head.type)) {
    return std::string("behind 'seq' there are no texts 'at' and 'type'");
  }
  return head;
}

Result<ThreadRecord, std::string> parse_thread_line(std::string_view line) {
  const auto refuse = [](std::string reason) {
    return Result<ThreadRecord, std::string>(Unexpected(std::move(reason)));
  };
  const auto head = read_thread_line_head(line);
  if (!head) return refuse(head.error());
  const auto part = verified_part(line);
  auto json =
      parse_strict(std::string(*part) + "}", limits::kDepthMax, Strictness::kRequest, "record");
  if (!json) return refuse(json.error().message);
  if (!json->is_object()) return refuse("it is no object");
  const auto seq = json->find("seq");
  const auto data = json->find("data");
  const auto run = json->find("run");
  if (seq == json->end() || !seq->is_number_integer() || !seq->is_number_unsigned() ||
      seq->get<std::uint64_t>() < 1 || seq->get<std::uint64_t>() > INT64_MAX) {
    return refuse("its 'seq' is no number from 1");
  }
  if (!has_text(*json, "at") || !has_text(*json, "type")) {
    return refuse("its 'at' or 'type' is no text");
  }
  if (run != json->end() && !run->is_string()) return refuse("its 'run' is no text");
  if (data == json->end() || !data->is_object()) return refuse("its 'data' is no object");
  ThreadRecord record;
  record.seq = seq->get<std::int64_t>();
  record.at = (*json)["at"].get<std::string>();
  if (!parse_rfc3339(record.at)) return refuse("its 'at' is no time");
  record.type = (*json)["type"].get<std::string>();
  if (run != json->end()) record.run = run->get<std::string>();
  record.data = std::move(*data);
  return record;
}

}  // namespace filecall::client
