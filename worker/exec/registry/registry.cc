// SPDX-License-Identifier: MIT
#include "worker/exec/registry/registry.h"

#include <fmt/core.h>

#include "base/nearest.h"
#include "base/result.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_limits.h"
#include "worker/exec/file/file_command.h"
#include "worker/exec/git/git_commands.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/llm/llm_chat.h"
#include "worker/exec/llm/llm_embed.h"
#include "worker/exec/llm/llm_models.h"
#include "worker/exec/system/cancel.h"
#include "worker/exec/system/describe.h"
#include "worker/exec/system/discard.h"
#include "worker/exec/system/echo.h"
#include "worker/exec/tool/tool_places.h"
#include "worker/exec/tool/tool_run.h"

namespace filecall::worker {
namespace {

/// The one command that is called for its speed and accepts anything.
constexpr std::string_view kUncheckedCommand = "system.echo";

std::string_view schema_of(std::string_view command) {
  const auto schema = find_schema(fmt::format("command.{}", command));
  CHECK(schema.has_value(), "every command has a schema in ipc-schema/schema");
  return *schema;
}

Json describe_command(const CommandInfo& info) {
  return Json{{"name", info.name},
              {"description", info.description},
              {"effects", to_string(info.effects)},
              {"risk", to_string(info.risk)},
              {"input_schema", Json::parse(info.schema)}};
}

}  // namespace

Result<std::unique_ptr<Registry>> Registry::create(uv_loop_t* loop, const ToolConfig& tools,
                                                   const llm::LlmConfig& models,
                                                   const kube::KubeConfig& clusters,
                                                   const file::FileConfig& files) {
  auto registry = std::make_unique<Registry>();
  Registry* self = registry.get();
  TRY(self->add(std::make_unique<SystemEcho>(schema_of("system.echo"))));
  TRY(self->add(std::make_unique<SystemDescribe>(schema_of("system.describe"),
                                                 [self] { return self->describe(); })));
  TRY(self->add(std::make_unique<SystemCancel>(schema_of("system.cancel"),
                                               [self] { return self->cancel_target_; })));
  TRY(self->add(std::make_unique<SystemDiscard>(schema_of("system.discard"),
                                                [self] { return self->cancel_target_; })));
  TRY_ASSIGN(auto tool_run, ToolRun::create(loop, tools, schema_of("tool.run")));
  self->tools_ = tool_run->describe_tools();
  self->missing_protections_ = tool_run->missing_protections();
  self->tool_sandbox_ = {tool_run->sandbox_level(), tool_run->sandbox().hides_roots(),
                         tool_run->sandbox().has_network(), tools.roots};
  if (!tools.roots.empty()) self->tool_directory_ = tools.roots.front();
  TRY(self->add(std::move(tool_run)));
  self->http_ = HttpClient::create(loop);
  HttpClient& http = *self->http_;
  const auto service = std::make_shared<llm::LlmService>(loop, http, models, read_environment());
  TRY(self->add(std::make_unique<llm::LlmChat>(service, schema_of("llm.chat"))));
  TRY(self->add(std::make_unique<llm::LlmEmbed>(service, schema_of("llm.embed"))));
  TRY(self->add(std::make_unique<llm::LlmModels>(service, schema_of("llm.models"))));
  const auto kube = std::make_shared<kube::KubeService>(loop, http, clusters, read_environment());
  for (auto& command : kube::make_kube_commands(kube, schema_of)) {
    TRY(self->add(std::move(command)));
  }
  if (!files.roots.empty()) self->file_directory_ = files.roots.front();
  TRY_ASSIGN(auto file_commands, file::make_file_commands(loop, files, schema_of));
  for (auto& command : file_commands) TRY(self->add(std::move(command)));
  TRY_ASSIGN(auto git_commands, git::make_git_commands(loop, files, schema_of));
  for (auto& command : git_commands) TRY(self->add(std::move(command)));
  return registry;
}

Result<void> Registry::add(std::unique_ptr<Executor> executor) {
  const CommandInfo& info = executor->info();
  Entry entry;
  if (info.name != kUncheckedCommand) {
    TRY_ASSIGN(auto validator, SchemaValidator::compile(info.schema, SchemaOwner::kOurs));
    entry.validator = std::make_unique<SchemaValidator>(std::move(validator));
  }
  const std::string name = info.name;
  entry.executor = std::move(executor);
  const bool is_new = entries_.emplace(name, std::move(entry)).second;
  CHECK(is_new, "a command has one executor");
  return {};
}

Executor* Registry::find(std::string_view command) const {
  const auto found = entries_.find(command);
  return found == entries_.end() ? nullptr : found->second.executor.get();
}

bool Registry::may_repeat(const Request& request) const {
  const Executor* executor = find(request.command);
  return executor != nullptr && executor->info().may_repeat;
}

Result<Prepared, Failure> Registry::prepare(const Request& request) const {
  const auto found = entries_.find(request.command);
  if (found == entries_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    Failure failure;
    failure.code = ErrorCode::kUnimplemented;
    failure.message = fmt::format("/command: unknown command '{}'{}", request.command,
                                  suggest(request.command, names));
    return failure;
  }
  const Entry& entry = found->second;
  if (entry.validator) {
    if (const auto violation = entry.validator->check(request.params, limits::kOwnSchemaStepsMax)) {
      Failure failure;
      failure.code = ErrorCode::kInvalidArgument;
      const std::string pointer = "/params" + violation->pointer;
      failure.message = fmt::format("{}: {}; see the schema of {} (filecall schema command.{})",
                                    pointer, violation->rule, request.command, request.command);
      failure.details = Json{{"pointer", pointer}, {"rule", violation->rule}};
      return failure;
    }
  }
  TRY_ASSIGN(auto plan, entry.executor->plan(request));
  return Prepared{entry.executor.get(), std::move(plan)};
}

std::vector<const CommandInfo*> Registry::commands() const {
  std::vector<const CommandInfo*> result;
  for (const auto& [name, entry] : entries_) result.push_back(&entry.executor->info());
  return result;
}

std::vector<DestinationProblem> Registry::problems() const {
  std::vector<DestinationProblem> result;
  for (const auto& [name, entry] : entries_) {
    for (DestinationProblem& problem : entry.executor->problems()) {
      result.push_back(std::move(problem));
    }
  }
  return result;
}

Json Registry::describe() const {
  Json commands = Json::array();
  for (const CommandInfo* info : this->commands()) commands.push_back(describe_command(*info));
  Json all = {{"commands", std::move(commands)}, {"tools", tools_}};
  if (tool_sandbox_) {
    all["tool_sandbox"] = {{"level", tool_sandbox_->level},
                           {"hides_root", tool_sandbox_->hides_root},
                           {"network", tool_sandbox_->has_network},
                           {"roots", tool_sandbox_->roots},
                           {"directory", tool_directory_}};
  }
  if (!file_directory_.empty()) all["file_directory"] = file_directory_;
  return all;
}

}  // namespace filecall::worker
