// SPDX-License-Identifier: MIT
#include "client/agent/core/tool_catalog.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/agent/core/record_member.h"
#include "client/core/digest.h"
#include "client/core/tool_reach.h"

namespace filecall::client {
namespace {

constexpr std::string_view kToolRun = "tool.run";

CatalogTool todo_read_tool() {
  CatalogTool tool;
  tool.name = kTodoRead;
  tool.description = "The thread's list of things to do: its version and items.";
  tool.risk = "low";
  tool.is_own = true;
  tool.schema = {
      {"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  return tool;
}

CatalogTool todo_write_tool() {
  CatalogTool tool;
  tool.name = kTodoWrite;
  tool.description =
      "Replaces the thread's list of things to do. version is the one that todo.read or the last "
      "todo.write answered (0 for a new list); another one is refused.";
  tool.risk = "low";
  tool.is_own = true;
  const Json item = {
      {"type", {"object", "string"}},
      {"required", Json::array({"text"})},
      {"properties",
       {{"id", {{"type", "string"}}},
        {"text", {{"type", "string"}, {"minLength", 1}}},
        {"status",
         {{"type", "string"}, {"enum", {"pending", "in_progress", "done", "cancelled"}}}}}}};
  tool.schema = {{"type", "object"},
                 {"required", {"version", "items"}},
                 {"properties",
                  {{"version", {{"type", "integer"}, {"minimum", 0}}},
                   {"items", {{"type", "array"}, {"items", item}}}}}};
  return tool;
}

/// The declared programs as the model sees them; null: there are none.
Json declared_programs(const Json& describe_data) {
  const Json& tools = value_at(describe_data, "tools");
  if (!tools.is_array()) return {};
  Json programs;
  for (const Json& one : tools) {
    const std::string name = text_at(one, "name");
    if (name.empty()) continue;
    programs.push_back({{"tool", name},
                        {"description", text_at(one, "description")},
                        {"effects", text_at(one, "effects")},
                        {"risk", text_at(one, "risk")},
                        {"args", value_at(one, "input_schema")}});
  }
  return programs;
}

/// A provider's function has no other place for them.
std::string function_description(const CatalogTool& tool) {
  if (tool.declared.is_null()) return tool.description;
  return tool.description +
         " Declared programs, to be called with tool and args: " + dump_json(tool.declared);
}

}  // namespace

bool fits_tool_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string CatalogTool::function_name() const {
  std::string out;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    out += is_plain ? c : '_';
  }
  return out;
}

Result<ToolCatalog> ToolCatalog::read(const Json& describe_data) {
  const Json& commands = value_at(describe_data, "commands");
  if (!commands.is_array()) {
    return fail(ErrorCode::kFailedPrecondition,
                "system.describe: no list of commands; is it a filecall-worker?");
  }
  ToolCatalog catalog;
  Digest digest;
  for (const Json& command : commands) {
    CatalogTool tool;
    tool.name = text_at(command, "name");
    tool.description = text_at(command, "description");
    tool.has_effects = text_at(command, "effects") != "none" || reaches_others(tool.name);
    tool.risk = text_at(command, "risk");
    tool.schema = value_at(command, "input_schema");
    for (const char* name : {"$schema", "$id", "title"}) {
      if (tool.schema.is_object()) tool.schema.erase(name);
    }
    if (tool.name.empty()) continue;
    if (tool.name == kToolRun) tool.declared = declared_programs(describe_data);
    Json said = {tool.name, tool.has_effects, tool.schema};
    if (!tool.declared.is_null()) said.push_back(tool.declared);
    digest.add(dump_json(said) + "\n");
    catalog.tools_[tool.name] = std::move(tool);
  }
  catalog.digest_ = digest.finish();
  catalog.tool_sandbox_ = value_at(describe_data, "tool_sandbox");
  catalog.file_directory_ = text_at(describe_data, "file_directory");
  catalog.tools_[std::string(kTodoRead)] = todo_read_tool();
  catalog.tools_[std::string(kTodoWrite)] = todo_write_tool();
  return catalog;
}

void ToolCatalog::choose(const std::vector<std::string>& shown,
                         const std::vector<std::string>& hidden) {
  // Runs that share a catalog choose the same.
  std::pair choice(shown, hidden);
  if (choice == choice_) return;
  choice_ = std::move(choice);
  for (auto& entry : tools_) {
    const auto fits = [&](const std::string& glob) { return fits_tool_glob(glob, entry.first); };
    entry.second.is_shown = std::any_of(shown.begin(), shown.end(), fits) &&
                            std::none_of(hidden.begin(), hidden.end(), fits);
  }
  shown_text_.clear();
  functions_ = Json::array();
  for (const CatalogTool* tool : this->shown()) {
    Json line = {{"tool", tool->name},
                 {"description", tool->description},
                 {"effects", tool->has_effects ? "external" : "none"},
                 {"args", tool->schema}};
    if (!tool->declared.is_null()) line["declared"] = tool->declared;
    shown_text_ += dump_json(line) + "\n";
    functions_.push_back({{"type", "function"},
                          {"function",
                           {{"name", tool->function_name()},
                            {"description", function_description(*tool)},
                            {"parameters", tool->schema}}}});
  }
}

const CatalogTool* ToolCatalog::find_any(std::string_view name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : &found->second;
}

const CatalogTool* ToolCatalog::find(std::string_view name) const {
  const CatalogTool* tool = find_any(name);
  return tool != nullptr && tool->is_shown ? tool : nullptr;
}

std::vector<const CatalogTool*> ToolCatalog::shown() const {
  std::vector<const CatalogTool*> out;
  for (const auto& entry : tools_) {
    if (entry.second.is_shown) out.push_back(&entry.second);
  }
  return out;
}

std::string ToolCatalog::tool_of_function(std::string_view name) const {
  if (find_any(name) != nullptr) return std::string(name);
  for (const auto& entry : tools_) {
    if (entry.second.is_shown && entry.second.function_name() == name) return entry.first;
  }
  return std::string(name);
}

std::string ToolCatalog::check(const CatalogTool& tool, const Json& args) const {
  if (!args.is_object()) return "the arguments are no JSON object";
  if (!tool.schema.is_object()) return {};
  auto& compiled = compiled_[tool.name];
  if (compiled == nullptr) {
    auto validator = SchemaValidator::compile(tool.schema, SchemaOwner::kOurs);
    // The worker checks its arguments itself; what cannot be checked here is checked there.
    if (!validator) return {};
    compiled = std::make_shared<const SchemaValidator>(std::move(*validator));
  }
  const auto violation = compiled->check(args);
  if (!violation) return {};
  return fmt::format("{}: {}", violation->pointer.empty() ? "args" : violation->pointer,
                     violation->rule);
}

}  // namespace filecall::client
