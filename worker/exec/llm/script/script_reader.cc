// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/script_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/check.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"

namespace filecall::worker::llm {
namespace {

using Part = ScriptMatch::Search::Part;

constexpr std::pair<const char*, Part> kParts[] = {
    {"model", Part::kModel}, {"request", Part::kRequest},        {"system", Part::kSystem},
    {"user", Part::kUser},   {"tool_result", Part::kToolResult}, {"last", Part::kLast},
    {"any", Part::kAny}};

constexpr std::pair<std::string_view, ScriptFault> kFaults[] = {{"refused", ScriptFault::kRefused},
                                                                {"reset", ScriptFault::kReset},
                                                                {"hang", ScriptFault::kHang},
                                                                {"cut", ScriptFault::kCut}};

SchemaValidator line_schema() {
  auto schema = SchemaValidator::compile(find_schema("script_line").value(), SchemaOwner::kOurs);
  CHECK(schema.has_value(), "our own schema compiles");
  return std::move(*schema);
}

Result<ScriptMatch, std::string> read_match(const Json& json) {
  ScriptMatch when;
  for (const auto& [name, part] : kParts) {
    if (!json.contains(name)) continue;
    auto pattern = ScriptPattern::compile(json[name].get_ref<const std::string&>());
    if (!pattern) return Unexpected(fmt::format("/when/{}: {}", name, pattern.error()));
    when.searches.push_back({part, *std::move(pattern)});
  }
  if (json.contains("turn")) when.turn = json["turn"].get<std::int64_t>();
  when.tool = json.value("tool", "");
  when.format = json.value("format", "");
  return when;
}

Duration duration_of(const Json& json, const char* name) {
  return milliseconds(json.value(name, std::int64_t{0}));
}

/// `json` fits the schema.
Result<ScriptLine, std::string> read_line(const Json& json) {
  ScriptLine line;
  if (json.contains("when")) {
    auto when = read_match(json["when"]);
    if (!when) return Unexpected(std::move(when).error());
    line.when = *std::move(when);
  }
  line.first = json.value("first", std::int64_t{0});
  if (json.contains("reply")) {
    line.reply = json["reply"];
    if (line.reply.is_string()) line.reply = Json{{"text", json["reply"]}};
  }
  if (json.contains("error")) line.error = json["error"];
  if (json.contains("raw")) line.raw = json["raw"].get<std::string>();
  if (json.contains("raw_base64")) {
    line.raw = base64_decode(json["raw_base64"].get_ref<const std::string&>());
    if (!line.raw) return Unexpected(std::string("/raw_base64: is no base64"));
  }
  if (json.contains("fault")) {
    const auto found = std::find_if(std::begin(kFaults), std::end(kFaults),
                                    [&](const auto& row) { return json["fault"] == row.first; });
    CHECK(found != std::end(kFaults), "the schema lists the faults");
    line.fault = found->second;
  }
  int answers = 0;
  for (const char* name : {"reply", "error", "raw", "raw_base64"}) {
    answers += json.contains(name) ? 1 : 0;
  }
  if (answers > 1) {
    return Unexpected(
        std::string("has several answers; give one of reply, error, raw, raw_base64"));
  }
  const bool is_fault = line.fault != ScriptFault::kNone;
  if (answers == 0 && (!is_fault || line.fault == ScriptFault::kCut)) {
    return Unexpected(
        std::string("has no answer; give one of reply, error, raw, raw_base64, fault"));
  }
  if (answers > 0 && is_fault && line.fault != ScriptFault::kCut) {
    return Unexpected(std::string("/fault: only \"cut\" goes with an answer"));
  }
  line.delay = duration_of(json, "delay_ms");
  line.piece_bytes = json.value("piece_bytes", std::size_t{0});
  line.piece_delay = duration_of(json, "piece_delay_ms");
  return line;
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

Result<std::vector<ScriptLine>, std::string> read_script(std::string_view text,
                                                         const std::string& name) {
  static const SchemaValidator schema = line_schema();
  std::vector<ScriptLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view bytes = without_end(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (bytes.empty() || bytes.starts_with("//")) continue;
    const auto problem = [&](const std::string& why) {
      return Unexpected(fmt::format("{}:{}: {}", name, number, why));
    };
    const auto json = parse_json_strict(bytes, limits::kDepth);
    if (!json) return problem(json.error().message);
    if (const auto violation = schema.check(*json)) {
      return problem(fmt::format("{}: {}", violation->pointer, violation->rule));
    }
    auto line = read_line(*json);
    if (!line) return problem(line.error());
    line->number = number;
    lines.push_back(*std::move(line));
  }
  if (lines.empty()) return Unexpected(name + ": has no line that answers");
  return lines;
}

}  // namespace filecall::worker::llm
