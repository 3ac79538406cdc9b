// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_command.h"

#include <fcntl.h>

#include <optional>
#include <utility>

#include "loop/pool_work.h"
#include "spool/layout.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_tree.h"

namespace filecall::worker::file {
namespace {

/// Flow control's name of this machine's files (destinations: {file: {concurrency: 8}}).
constexpr std::string_view kDestination = "file";

struct Work {
  FileFunction function;
  std::shared_ptr<const FileRules> rules;
  Json params;
  std::string request_id;
  std::string changes_folder;
  std::function<void(Outcome)> done;
  std::atomic<bool> is_cancelled{false};
  std::optional<Outcome> outcome;
};

/// The work goes on without it once it was cancelled, until it sees the mark.
class FileExecution final : public Execution {
 public:
  explicit FileExecution(std::shared_ptr<Work> work) : work_(std::move(work)) {}
  void cancel() override { work_->is_cancelled = true; }

 private:
  std::shared_ptr<Work> work_;
};

/// What a request with bounds of its own may see.
Result<FileRules> rules_within(const FileRules& rules, const std::string& directory) {
  constexpr std::string_view kPointer = "/params/beneath";
  TRY_ASSIGN(const FilePlace place, choose_place(rules.config, directory, kPointer));
  TRY_ASSIGN(const OpenPlace bounds, open_place(rules, place, O_PATH | O_DIRECTORY, kPointer));
  FileRules narrower = rules;
  narrower.config.beneath = bounds.whole();
  return narrower;
}

Outcome do_work(const Work& work) {
  const auto job = [&work](const FileRules& rules) {
    return FileJob{work.params,       rules,           *work.rules,
                   work.is_cancelled, work.request_id, work.changes_folder};
  };
  const std::string beneath = text_param(work.params, "beneath");
  if (beneath.empty()) return work.function(job(*work.rules));
  auto rules = rules_within(*work.rules, beneath);
  if (!rules) return refused(std::move(rules).error());
  return work.function(job(*rules));
}

Failure no_roots() {
  return Failure::of({ErrorCode::kPermissionDenied,
                      "the worker's configuration allows no files; name directories in file: "
                      "{roots: [...]}"});
}

Failure nothing_writable() {
  return Failure::of({ErrorCode::kPermissionDenied,
                      "the worker's configuration lets no file be changed; name directories in "
                      "file: {writable: [...]}"});
}

}  // namespace

FileCommand::FileCommand(uv_loop_t* loop, std::shared_ptr<const FileRules> rules, CommandInfo info,
                         FileFunction work, std::string_view destination,
                         EffectsFunction effects_of)
    : loop_(loop),
      rules_(std::move(rules)),
      info_(std::move(info)),
      work_(std::move(work)),
      destination_(destination),
      effects_of_(std::move(effects_of)) {}

Result<ExecutionPlan, Failure> FileCommand::plan(const Request& request) {
  if (rules_->config.roots.empty()) return Unexpected(no_roots());
  ExecutionPlan plan;
  plan.effects = effects_of_ ? effects_of_(request.params) : info_.effects;
  plan.destination = destination_;
  if (plan.effects == Effects::kExternal && rules_->config.writable.empty()) {
    return Unexpected(nothing_writable());
  }
  return plan;
}

std::unique_ptr<Execution> FileCommand::start(const Request& request,
                                              const ExecutionContext& context,
                                              std::function<void(Outcome)> done) {
  auto work = std::make_shared<Work>();
  work->function = work_;
  work->rules = rules_;
  work->params = request.params;
  work->request_id = request.request_id;
  work->changes_folder = spool::Layout(std::string(context.root)).worker_changes();
  work->done = std::move(done);
  run_in_pool(
      loop_, [work] { work->outcome = do_work(*work); },
      [work] { work->done(*std::move(work->outcome)); });
  return std::make_unique<FileExecution>(work);
}

Result<std::vector<std::unique_ptr<Executor>>> make_file_commands(
    uv_loop_t* loop, FileConfig config,
    const std::function<std::string_view(std::string_view)>& schema_of) {
  auto compiled = FileRules::compile(std::move(config));
  if (!compiled) return Unexpected(std::move(compiled).error());
  const auto rules = std::make_shared<const FileRules>(*std::move(compiled));
  std::vector<std::unique_ptr<Executor>> out;
  const auto add = [&](std::string_view name, std::string_view description, Effects effects,
                       Risk risk, FileFunction work, bool tells_effects = false) {
    CommandInfo info{std::string(name), std::string(description), schema_of(name), effects, risk};
    info.tells_effects = tells_effects;
    out.push_back(
        std::make_unique<FileCommand>(loop, rules, std::move(info), std::move(work), kDestination));
  };
  add("file.list", "Lists files and directories, by a glob; leaves out what .gitignore names.",
      Effects::kNone, Risk::kLow, file_list);
  add("file.read", "Reads files, whole or some lines of them, with the SHA-256 of each.",
      Effects::kNone, Risk::kLow, file_read);
  add("file.search", "Finds the lines of files that a regular expression or a text fits.",
      Effects::kNone, Risk::kLow, file_search);
  add("file.create", "Creates a file that is not there yet, with its directories.",
      Effects::kExternal, Risk::kMedium, file_create);
  add("file.edit", "Changes a file by edits, by a patch or by its whole new content.",
      Effects::kExternal, Risk::kMedium, file_edit);
  add("file.propose", "Shows what changes of files would come to, by hunks; changes nothing.",
      Effects::kNone, Risk::kLow, file_propose);
  add("file.apply", "Makes a proposal's changes, or some hunks of it: all of them or none.",
      Effects::kExternal, Risk::kHigh, file_apply, true);
  add("file.delete", "Deletes a file whose content is what the request says.", Effects::kExternal,
      Risk::kHigh, file_delete);
  return out;
}

}  // namespace filecall::worker::file
