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

Json settings_json(const std::vector<WorkerSetting>& settings) {
  Json json = Json::array();
  for (const WorkerSetting& setting : settings) {
    json.push_back({{"provider", setting.provider},
                    {"what", setting.what},
                    {"variable", or_null(setting.variable)},
                    {"file", or_null(setting.file)},
                    {"digest", or_null(setting.digest)}});
  }
  return json;
}

Json providers_json(const std::vector<WorkerProvider>& providers) {
  Json json = Json::array();
  for (const WorkerProvider& provider : providers) {
    json.push_back({{"name", provider.name},
                    {"kind", provider.kind},
                    {"profile", provider.profile},
                    {"models", provider.models},
                    {"params", provider.params}});
  }
  return json;
}

Json tools_json(const std::vector<WorkerTool>& tools) {
  Json json = Json::array();
  for (const WorkerTool& tool : tools) {
    json.push_back({{"name", tool.name},
                    {"description", or_null(tool.description)},
                    {"input_schema", tool.schema}});
  }
  return json;
}

/// The objects of an array; an earlier version has none.
Result<std::vector<Json>> objects_of(const Json& root, const char* name) {
  std::vector<Json> objects;
  const auto member = root.find(name);
  if (member == root.end()) return objects;
  if (!member->is_array()) return broken_launch(fmt::format("/{}: must be an array", name));
  for (const Json& one : *member) {
    if (!one.is_object()) return broken_launch(fmt::format("/{}: must have objects", name));
    objects.push_back(one);
  }
  return objects;
}

Result<void> read_providers(const Json& root, WorkerLaunch& launch) {
  TRY_ASSIGN(launch.salt, text_of(root, "salt"));
  TRY_ASSIGN(const auto settings, objects_of(root, "settings"));
  for (const Json& one : settings) {
    WorkerSetting setting;
    TRY_ASSIGN(setting.provider, text_of(one, "provider"));
    TRY_ASSIGN(setting.what, text_of(one, "what"));
    TRY_ASSIGN(setting.variable, text_of(one, "variable"));
    TRY_ASSIGN(setting.file, text_of(one, "file"));
    TRY_ASSIGN(setting.digest, text_of(one, "digest"));
    launch.settings.push_back(std::move(setting));
  }
  TRY_ASSIGN(const auto providers, objects_of(root, "providers"));
  for (const Json& one : providers) {
    WorkerProvider provider;
    TRY_ASSIGN(provider.name, text_of(one, "name"));
    TRY_ASSIGN(provider.kind, text_of(one, "kind"));
    TRY_ASSIGN(provider.profile, text_of(one, "profile"));
    TRY_ASSIGN(provider.models, texts_of(one, "models"));
    TRY_ASSIGN(provider.params, texts_of(one, "params"));
    launch.providers.push_back(std::move(provider));
  }
  TRY_ASSIGN(launch.default_provider, text_of(root, "default_provider"));
  return {};
}

Result<void> read_tools(const Json& root, WorkerLaunch& launch) {
  TRY_ASSIGN(const auto tools, objects_of(root, "tools"));
  for (const Json& one : tools) {
    WorkerTool tool;
    TRY_ASSIGN(tool.name, text_of(one, "name"));
    TRY_ASSIGN(tool.description, text_of(one, "description"));
    tool.schema = one.value("input_schema", Json::object());
    launch.tools.push_back(std::move(tool));
  }
  return {};
}

}  // namespace

std::string config_digest(std::string_view bytes) { return "xxh128:" + hash128(bytes).hex(); }

std::string render_worker_launch(const WorkerLaunch& launch) {
  const Json json = {
      {"instance", launch.instance},
      {"roots", launch.roots},
      {"config", or_null(launch.config)},
      {"config_digest", or_null(launch.config_digest)},
      {"arguments", launch.arguments},
      {"directory", launch.directory},
      {"log_file", or_null(launch.log_file)},
      {"started_at", format_rfc3339(launch.started_at)},
      {"from_client", launch.is_from_client},
      {"salt", launch.salt},
      {"settings", settings_json(launch.settings)},
      {"providers", providers_json(launch.providers)},
      {"default_provider", or_null(launch.default_provider)},
      {"tools", tools_json(launch.tools)},
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
  const auto from_client = root.find("from_client");
  launch.is_from_client = from_client != root.end() && *from_client == true;
  TRY(read_providers(root, launch));
  TRY(read_tools(root, launch));
  return launch;
}

}  // namespace filecall
