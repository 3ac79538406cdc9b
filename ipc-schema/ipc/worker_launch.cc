// SPDX-License-Identifier: MIT
#include "ipc/worker_launch.h"

#include <fmt/core.h>

#include "base/hash.h"
#include "ipc/json.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Unexpected<Error> broken_launch(std::string_view rule) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("worker launch: {}", rule));
}

/// Absent and null are empty.
Result<std::string> text_of(const Json& root, const char* name) {
  const auto member = root.find(name);
  if (member == root.end() || member->is_null()) return std::string();
  if (!member->is_string()) return broken_launch(fmt::format("/{}: must be a string", name));
  std::string text = member->get<std::string>();
  if (text.find('\0') != std::string::npos) {
    return broken_launch(fmt::format("/{}: must not contain a NUL character", name));
  }
  return text;
}

Result<std::vector<std::string>> texts_of(const Json& root, const char* name) {
  std::vector<std::string> texts;
  const auto member = root.find(name);
  if (member == root.end()) return texts;
  if (!member->is_array()) return broken_launch(fmt::format("/{}: must be an array", name));
  for (const Json& one : *member) {
    TRY_ASSIGN(std::string text, text_of(Json{{name, one}}, name));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::string config_digest(std::string_view bytes) { return "xxh128:" + hash128(bytes).hex(); }

std::string render_worker_launch(const WorkerLaunch& launch) {
  const Json json = {
      {"instance", launch.instance},          {"roots", launch.roots},
      {"config", or_null(launch.config)},     {"config_digest", or_null(launch.config_digest)},
      {"arguments", launch.arguments},        {"directory", launch.directory},
      {"log_file", or_null(launch.log_file)}, {"started_at", format_rfc3339(launch.started_at)},
  };
  return dump_json(json) + "\n";
}

Result<WorkerLaunch> parse_worker_launch(std::string_view bytes) {
  auto parsed = parse_strict(bytes, limits::kDepth, Strictness::kForeign, "worker launch");
  if (!parsed) return fail(ErrorCode::kInvalidArgument, parsed.error().message);
  const Json& root = *parsed;
  if (!root.is_object()) return broken_launch("must be a JSON object");
  WorkerLaunch launch;
  TRY_ASSIGN(launch.instance, text_of(root, "instance"));
  TRY_ASSIGN(launch.roots, texts_of(root, "roots"));
  TRY_ASSIGN(launch.config, text_of(root, "config"));
  TRY_ASSIGN(launch.config_digest, text_of(root, "config_digest"));
  TRY_ASSIGN(launch.arguments, texts_of(root, "arguments"));
  TRY_ASSIGN(launch.directory, text_of(root, "directory"));
  TRY_ASSIGN(launch.log_file, text_of(root, "log_file"));
  TRY_ASSIGN(const std::string started, text_of(root, "started_at"));
  launch.started_at = parse_rfc3339(started).value_or(WallTime{});
  return launch;
}

}  // namespace filecall
