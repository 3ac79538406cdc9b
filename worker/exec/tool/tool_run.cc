// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_run.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "base/result.h"
#include "worker/exec/tool/output_streamer.h"
#include "worker/exec/tool/tool_caution.h"
#include "worker/exec/tool/tool_data.h"
#include "worker/exec/tool/tool_places.h"
#include "worker/proc/child.h"
#include "worker/proc/tool_groups.h"

namespace filecall::worker {
namespace {

/// Asks the guard what this machine can give, if the configuration asks for anything.
Result<ToolSandbox> find_sandbox(const ToolConfig& config, const std::string& here) {
  if (auto reason = complaint_about_sandbox(config)) {
    return fail(ErrorCode::kInvalidArgument, std::move(*reason));
  }
  ToolConfig canonical = config;
  for (auto* paths : {&canonical.roots, &canonical.readable, &canonical.hidden}) {
    for (std::string& path : *paths) path = canonical_path(path);
  }
  if (config.sandbox == "none" && config.network) return ToolSandbox{};
  std::string guard = config.guard;
  if (guard.empty()) {
    TRY_ASSIGN(guard, find_guard());
  }
  canonical.own_programs.push_back(guard);
  canonical.own_programs.push_back("/proc/self/exe");  // The worker, for its next start.
  for (auto* paths : {&canonical.own_files, &canonical.own_programs}) {
    std::vector<std::string> stations;
    for (const std::string& path : *paths) {
      const auto found = path_stations(path.starts_with('/') ? path : here + "/" + path);
      stations.insert(stations.end(), found.begin(), found.end());
    }
    *paths = std::move(stations);
  }
  TRY_ASSIGN(const SandboxProbe probe, probe_sandbox(guard));
  return decide_sandbox(canonical, probe);
}

bool bounds_memory_or_processes(const ToolConfig& config) {
  const auto bounds = [](const ChildLimits& limits) {
    return limits.memory_bytes.has_value() || limits.processes.has_value();
  };
  return bounds(config.limits) ||
         std::any_of(config.tools.begin(), config.tools.end(),
                     [&](const DeclaredTool& tool) { return bounds(tool.limits); });
}

/// One running tool. `done` comes from the loop, so `child` is set by then.
class ToolExecution final : public Execution {
 public:
  void cancel() override {
    if (child) child->cancel();
  }
  Json partial() const override {
    return child ? output_data(child->standard_output(), child->standard_error()) : Json();
  }

  void finish(const ChildResult& result) {
    if (result.has_survivors) {
      log_warn("{}: {}: some of its processes could not be ended", request_id, name);
    }
    for (const auto& [folder, head] : result.repositories) {
      log_warn("{}: {}: left a bare repository in {}, whose settings git would obey; {}",
               request_id, name, folder,
               head.empty() ? "it could not be set aside: rename its HEAD"
                            : fmt::format("its HEAD is now called {}", head));
    }
    const CapturedOutput& err = child->standard_error();
    if (streamer) streamer->end(result, child->standard_output(), err);
    Json data = result_data(result, child->standard_output(), err, tool);
    // The callback may destroy this object.
    const auto report = std::move(done);
    report(judge(result, err, std::move(data), check, name));
  }

  std::unique_ptr<OutputStreamer> streamer;  ///< Null: nobody asked for events.
  std::unique_ptr<Child> child;
  std::function<void(Outcome)> done;
  std::string request_id;
  std::string name;
  std::string tool;
  bool check = false;
};

/// What else may be written then can still be read.
void write_beneath_alone(const std::string& bounds, ChildSandbox& sandbox) {
  if (sandbox.level != guard::Level::kWorkspaceWrite) return;
  sandbox.readable.insert(sandbox.readable.end(), sandbox.roots.begin(), sandbox.roots.end());
  sandbox.roots = {bounds};
}

}  // namespace

Result<std::unique_ptr<ToolRun>> ToolRun::create(uv_loop_t* loop, ToolConfig config,
                                                 std::string_view schema) {
  TRY_ASSIGN(ToolTable tools, ToolTable::compile(config.tools));
  TRY_ASSIGN(const std::string here, current_directory());
  if (config.roots.empty()) config.roots.push_back(here);
  for (std::string& root : config.roots) {
    if (!root.starts_with('/')) root = fmt::format("{}/{}", here, root);
  }
  const auto variables = read_environment();
  const auto home = variables.find("HOME");
  TRY(check_tool_roots(config, home == variables.end() ? "" : home->second));
  for (const std::string& missing : missing_tool_roots(config)) log_warn("{}", missing);
  for (const std::string& missing : missing_tool_programs(config, search_path(variables))) {
    log_warn("{}", missing);
  }
  if (const std::string names = names_that_run_anything(config.allow); !names.empty()) {
    log_warn(
        "tool.allow: {} run whatever their arguments say; declare tools with fixed arguments "
        "(tool.tools), or let a sandbox hold them (tool.sandbox)",
        names);
  }
  TRY_ASSIGN(ToolSandbox sandbox, find_sandbox(config, here));
  const bool bounds_groups = bounds_memory_or_processes(config);
  auto run = std::unique_ptr<ToolRun>(
      new ToolRun(loop, std::move(config), std::move(tools), std::move(sandbox), schema));
  if (auto groups = prepare_tool_groups(bounds_groups)) run->groups_ = std::move(*groups);
  return run;
}

ToolRun::ToolRun(uv_loop_t* loop, ToolConfig config, ToolTable tools, ToolSandbox sandbox,
                 std::string_view schema)
    : info_{"tool.run",
            "Runs an allowed program (argv) or a declared tool (tool, args) without a shell and "
            "answers its exit code and output.",
            schema, Effects::kExternal, Risk::kHigh},
      loop_(loop),
      config_(std::move(config)),
      tools_(std::move(tools)),
      sandbox_(std::move(sandbox)),
      environment_(read_environment()) {
  // The worker's own home is not in the sandbox.
  if (sandbox_.child.uses(guard::kNamespaces)) environment_["HOME"] = "/tmp";
}

Result<ExecutionPlan, Failure> ToolRun::plan(const Request& request) {
  TRY_ASSIGN(ToolCall call, decide_tool_call(config_, tools_, request));
  const bool is_bound = call.timeout == config_.timeout_max;
  return ExecutionPlan{.effects = call.effects,
                       .destination = std::move(call.destination),
                       .timeout = call.timeout,
                       .timeout_bound = is_bound ? "tool.timeout_max" : ""};
}

Result<ChildSpec> ToolRun::make_spec(const ToolCall& call, const Request& request) const {
  static const std::map<std::string, std::string> kNoVariables;
  ChildSpec spec;
  TRY_ASSIGN(spec.program, find_program(call.argv.front(), search_path(environment_)));
  TRY_ASSIGN(OpenWorkplace workplace, open_workplace(call.workplace));
  spec.cwd = std::move(workplace.directory);
  spec.argv = call.argv;
  spec.env = make_environment(config_.env, environment_, request.params.value("env", Json()),
                              call.declared != nullptr ? call.declared->env : kNoVariables,
                              request.request_id);
  spec.input = call.input;
  spec.limits = call.limits;
  spec.sandbox = sandbox_.child;
  if (!workplace.bounds.empty()) write_beneath_alone(workplace.bounds, spec.sandbox);
  spec.group = groups_;
  spec.kill_delay = config_.kill_delay;
  spec.output_bytes = call.output_bytes;
  return spec;
}

Result<std::shared_ptr<GuardServer>> ToolRun::guards() {
  if (config_.guard.empty()) {
    TRY_ASSIGN(config_.guard, find_guard());
  }
  if (!guards_) guards_ = std::make_shared<GuardServer>(config_.guard);
  return guards_;
}

std::unique_ptr<Execution> ToolRun::start(const Request& request, const ExecutionContext& context,
                                          std::function<void(Outcome)> done) {
  auto decided = decide_tool_call(config_, tools_, request);
  if (!decided) {
    done(std::move(decided).error());
    return nullptr;
  }
  const auto& call = *decided;
  auto execution = std::make_unique<ToolExecution>();
  execution->request_id = request.request_id;
  execution->tool = call.declared != nullptr ? call.declared->name : "";
  execution->name = call.declared != nullptr ? call.declared->name : command_text(call.argv);
  execution->check = call.check;
  const auto start_child = [&]() -> Result<std::unique_ptr<Child>> {
    TRY_ASSIGN(std::shared_ptr<GuardServer> server, guards());
    TRY_ASSIGN(ChildSpec spec, make_spec(call, request));
    if (call.stream && context.open_events) {
      spec.on_output = [running = execution.get()](OutputSource source, std::string_view bytes) {
        if (running->streamer) running->streamer->take(source, bytes);
      };
    }
    return Child::start(
        loop_, std::move(server), std::move(spec),
        [running = execution.get()](const ChildResult& result) { running->finish(result); });
  };
  auto child = start_child();
  if (!child) {
    done(Failure::of(child.error()));
    return nullptr;
  }
  execution->child = std::move(*child);
  if (call.stream && context.open_events) {
    // Output comes from the loop, so none has come yet.
    if (auto events = context.open_events()) {
      execution->streamer =
          std::make_unique<OutputStreamer>(loop_, std::move(events), execution->name);
    }
  }
  execution->done = std::move(done);
  return execution;
}

}  // namespace filecall::worker
