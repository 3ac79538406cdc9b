// SPDX-License-Identifier: MIT
#include "worker/config_check.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/count_text.h"

namespace filecall::worker {
namespace {

std::string key_text(const ProviderCheck& provider) {
  const std::string what = provider.has_key ? "key" : "no key";
  if (!provider.key_file.empty()) return fmt::format("{} in {}", what, provider.key_file);
  if (!provider.key_variable.empty()) return fmt::format("{} in ${}", what, provider.key_variable);
  return what;
}

std::string end_text(const std::string& problem, const std::string& found) {
  return problem.empty() ? "answers, " + found : "does not answer: " + problem;
}

std::string exec_text(const ContextCheck& context) {
  std::string text;
  for (const kube::ExecContext& entry : context.exec) {
    std::vector<std::string> commands;
    for (const auto& argv : entry.argv) {
      const bool is_any = argv.size() == 1 && argv.front() == "*";
      commands.push_back(is_any ? "any command" : fmt::format("[{}]", fmt::join(argv, " ")));
    }
    text += fmt::format("context {}: kube.exec may run {} in namespaces {}\n", context.name,
                        fmt::join(commands, ", "), fmt::join(entry.namespaces, ", "));
  }
  return text;
}

Json exec_json(const std::vector<kube::ExecContext>& entries) {
  Json list = Json::array();
  for (const kube::ExecContext& entry : entries) {
    list.push_back({{"namespaces", entry.namespaces}, {"argv", entry.argv}});
  }
  return list;
}

std::string_view ending_text(const ToolCheck& tools) {
  return tools.has_process_namespace
             ? "in a process namespace of its own, which the kernel ends with the run"
             : "what a run leaves is ended by its guard, or by the worker when a tool has ended "
               "the guard; one that ends the worker too outlives it";
}

std::string group_text(const ToolCheck& tools) {
  return tools.control_group.empty()
             ? "no control group is given to the worker (Delegate=)"
             : fmt::format("each in a control group of its own in {}", tools.control_group);
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json tools_json(const std::optional<ToolCheck>& tools) {
  if (!tools) return nullptr;
  return Json{{"sandbox", tools->sandbox},
              {"ended_by", tools->has_process_namespace ? "process-namespace" : "worker"},
              {"control_group", or_null(tools->control_group)}};
}

Json key_json(const ProviderCheck& provider) {
  if (!provider.key_file.empty()) return Json{{"file", provider.key_file}};
  if (!provider.key_variable.empty()) return Json{{"env", provider.key_variable}};
  return nullptr;
}

}  // namespace

std::string config_check_text(const ConfigCheck& check) {
  std::string text;
  for (const ProviderCheck& provider : check.providers) {
    text += fmt::format(
        "provider {}: {} ({}), {}, {}: {}\n", provider.name, provider.kind, provider.profile,
        provider.base_url.empty() ? "searched on this machine" : provider.base_url,
        key_text(provider), end_text(provider.problem, counted_noun(provider.models, "model")));
  }
  for (const ContextCheck& context : check.contexts) {
    text += fmt::format("context {}: {}{}\n", context.name,
                        context.server.empty() ? "" : context.server + ": ",
                        end_text(context.problem, "Kubernetes " + context.version));
    text += exec_text(context);
  }
  if (check.tools) {
    text += fmt::format("tools: sandbox {}; {}; {}\n", check.tools->sandbox,
                        ending_text(*check.tools), group_text(*check.tools));
  }
  if (!check.file_roots.empty()) {
    text += fmt::format(
        "files: may be read in {}; changed in {}\n", fmt::join(check.file_roots, ", "),
        check.file_writable.empty() ? "none"
                                    : fmt::format("{}", fmt::join(check.file_writable, ", ")));
    text += fmt::format("git: libgit2 {}\n", check.git_library);
  }
  for (const std::string& note : check.file_notes) text += fmt::format("note: {}\n", note);
  for (const std::string& problem : check.problems) text += problem + "\n";
  return text;
}

Json config_check_json(const ConfigCheck& check) {
  Json json = {{"valid", true},
               {"providers", Json::array()},
               {"contexts", Json::array()},
               {"tools", tools_json(check.tools)},
               {"files",
                {{"roots", check.file_roots},
                 {"writable", check.file_writable},
                 {"libgit2", check.git_library},
                 {"notes", check.file_notes}}},
               {"problems", check.problems}};
  for (const ProviderCheck& provider : check.providers) {
    const bool answers = provider.problem.empty();
    json["providers"].push_back({{"name", provider.name},
                                 {"kind", provider.kind},
                                 {"profile", provider.profile},
                                 {"base_url", or_null(provider.base_url)},
                                 {"key", key_json(provider)},
                                 {"answers", answers},
                                 {"models", answers ? Json(provider.models) : Json()},
                                 {"problem", or_null(provider.problem)}});
  }
  for (const ContextCheck& context : check.contexts) {
    json["contexts"].push_back({{"name", context.name},
                                {"server", or_null(context.server)},
                                {"answers", context.problem.empty()},
                                {"version", or_null(context.version)},
                                {"problem", or_null(context.problem)},
                                {"exec", exec_json(context.exec)}});
  }
  return json;
}

Json config_refusal_json(const std::string& problem) {
  return {{"valid", false},   {"providers", Json::array()}, {"contexts", Json::array()},
          {"tools", nullptr}, {"files", nullptr},           {"problems", Json::array({problem})}};
}

}  // namespace filecall::worker
