// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_policy.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "worker/exec/tool/argv_template.h"

namespace filecall::worker {
namespace {

constexpr std::string_view kRequestIdName = "FILECALL_REQUEST_ID";

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Failure make_failure(ErrorCode code, std::string message) {
  Failure failure;
  failure.code = code;
  failure.message = std::move(message);
  return failure;
}

/// A root, and what of a path lies below it ("." for the root).
struct RootPlace {
  std::string root;
  std::string below;
};

Result<RootPlace> place_in_roots(const std::vector<std::string>& roots, std::string_view wanted,
                                 std::string_view pointer) {
  if (wanted.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: holds a NUL character", pointer));
  }
  if (wanted.empty()) return RootPlace{roots.front(), "."};
  if (wanted.front() != '/') return RootPlace{roots.front(), std::string(wanted)};
  for (const std::string& root : roots) {
    std::string_view base = root;
    while (base.size() > 1 && base.ends_with('/')) base.remove_suffix(1);
    if (wanted == base) return RootPlace{root, "."};
    if (base == "/") base = "";
    if (!wanted.starts_with(base) || wanted[base.size()] != '/') continue;
    std::string_view below = wanted.substr(base.size());
    while (below.starts_with('/')) below.remove_prefix(1);
    return RootPlace{root, below.empty() ? "." : std::string(below)};
  }
  return fail(ErrorCode::kPermissionDenied,
              fmt::format("{}: '{}' is not beneath an allowed directory; write `tool: "
                          "{{roots: [\"{}\"]}}` in the worker's configuration file (--config) and "
                          "restart the worker",
                          pointer, wanted, wanted));
}

std::string normal(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

/// The rest of a path below the bounds, by its text; nullopt: it leads out of them.
std::optional<std::string> below_bounds(const RootPlace& place, const RootPlace& bounds) {
  if (place.root != bounds.root) return std::nullopt;
  const std::string whole = normal(place.below);
  const std::string outer = normal(bounds.below);
  if (whole == outer) return ".";
  if (!whole.starts_with(outer + "/")) return std::nullopt;
  return whole.substr(outer.size() + 1);
}

}  // namespace

std::optional<Failure> refuse_program(const std::vector<std::string>& allow,
                                      std::string_view program) {
  if (contains(allow, program) || contains(allow, "*")) return std::nullopt;
  const bool is_path = program.find('/') != std::string_view::npos;
  const std::string_view base = is_path ? program.substr(program.rfind('/') + 1) : program;
  if (is_path && !base.empty() && contains(allow, base)) {
    return make_failure(ErrorCode::kPermissionDenied,
                        fmt::format("/params/argv/0: '{}' is a path, and only '{}' is allowed by "
                                    "name; write \"{}\", or add the path to `tool: {{allow: "
                                    "[\"{}\"]}}` in the worker's configuration file (--config)",
                                    program, base, base, program));
  }
  return make_failure(
      ErrorCode::kPermissionDenied,
      fmt::format("/params/argv/0: program '{}' is not allowed; write `tool: {{allow: [\"{}\"]}}` "
                  "in the worker's configuration file (--config) and restart the worker",
                  program, program));
}

std::optional<Failure> refuse_environment(const std::vector<std::string>& allow, const Json& env) {
  if (!env.is_object()) return std::nullopt;
  for (const auto& [name, value] : env.items()) {
    if (!contains(allow, name)) {
      return make_failure(
          ErrorCode::kPermissionDenied,
          fmt::format("/params/env/{}: this name may not be set; write `tool: {{env: [\"{}\"]}}` "
                      "in the worker's configuration file (--config) and restart the worker",
                      name, name));
    }
    if (value.get_ref<const std::string&>().find('\0') != std::string::npos) {
      return make_failure(ErrorCode::kInvalidArgument,
                          fmt::format("/params/env/{}: holds a NUL character", name));
    }
  }
  return std::nullopt;
}

std::vector<std::string> make_environment(const std::vector<std::string>& allow,
                                          const std::map<std::string, std::string>& inherited,
                                          const Json& requested,
                                          const std::map<std::string, std::string>& declared,
                                          const std::string& request_id) {
  std::map<std::string, std::string> result = {
      {"PATH", std::string(kDefaultToolPath)}, {"HOME", "/"}, {"LANG", "C.UTF-8"}};
  const auto inherit = [&](const std::string& name) {
    const auto found = inherited.find(name);
    if (found != inherited.end()) result[name] = found->second;
  };
  for (const char* name : {"PATH", "HOME", "LANG"}) inherit(name);
  for (const std::string& name : allow) inherit(name);
  if (contains(allow, kRequestIdName)) result[std::string(kRequestIdName)] = request_id;
  if (requested.is_object()) {
    for (const auto& [name, value] : requested.items()) result[name] = value.get<std::string>();
  }
  for (const auto& [name, value] : declared) result[name] = value;
  std::vector<std::string> lines;
  lines.reserve(result.size());
  for (const auto& [name, value] : result) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

Result<Workplace> choose_workplace(const std::vector<std::string>& roots, std::string_view cwd,
                                   std::string_view fallback, std::string_view beneath) {
  CHECK(!roots.empty(), "there is always one tool root");
  const std::string_view wanted = cwd.empty() ? fallback : cwd;
  TRY_ASSIGN(const RootPlace place, place_in_roots(roots, wanted, "/params/cwd"));
  if (beneath.empty()) return Workplace{place.root, ".", place.below};
  TRY_ASSIGN(const RootPlace bounds, place_in_roots(roots, beneath, "/params/beneath"));
  if (bounds.below == ".") return Workplace{place.root, ".", place.below};
  const auto rest = below_bounds(place, bounds);
  if (!rest) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("/params/cwd: '{}' leads out of '{}' (beneath)",
                            wanted.empty() ? "." : wanted, beneath));
  }
  return Workplace{bounds.root, bounds.below, *rest};
}

ChildLimits merge_limits(const ChildLimits& base, const ChildLimits& limits) {
  ChildLimits merged = limits;
  if (!merged.memory_bytes) merged.memory_bytes = base.memory_bytes;
  if (!merged.cpu_seconds) merged.cpu_seconds = base.cpu_seconds;
  if (!merged.files) merged.files = base.files;
  if (!merged.file_bytes) merged.file_bytes = base.file_bytes;
  if (!merged.processes) merged.processes = base.processes;
  return merged;
}

std::string complaint_about(const DeclaredTool& tool) {
  const auto complain = [&](std::string_view reason) {
    return fmt::format("tool.tools.{}: {}", tool.name, reason);
  };
  if (tool.name.empty() || tool.name.size() > 100) return complain("the name is empty or too long");
  const auto parsed = ArgvTemplate::parse(tool.argv);
  if (!parsed) return complain(parsed.error().message);
  if (!tool.args_schema.is_object()) return complain("args: must be a JSON Schema (a mapping)");
  const auto properties = tool.args_schema.find("properties");
  for (const std::string_view name : parsed->names()) {
    const bool is_known = properties != tool.args_schema.end() && properties->is_object() &&
                          properties->contains(std::string(name));
    if (!is_known) {
      return complain(
          fmt::format("argv names {{{}}}, which args.properties does not; describe it "
                      "there, or write {{{{{}}}}} for braces",
                      name, name));
    }
  }
  return "";
}

}  // namespace filecall::worker
