// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_exec.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ipc/json_text.h"
#include "loop/loop_timer.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/client/exec_call.h"
#include "worker/exec/kube/client/exec_target.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/pod_selection.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kTimeoutDefaultS = 30;
constexpr std::int64_t kBytesDefault = 32 * 1024;
/// What a refusal shows of a command.
constexpr std::size_t kCommandBytes = 500;
/// Pods of a workload that are looked at.
constexpr int kPodsFound = 500;
constexpr const char* kMayRunOn =
    "the connection is closed, which does not end the command: what it started in the container "
    "may be running still";

class ExecRun final : public KubeRun {
 public:
  explicit ExecRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done), std::move(task.yield_place)),
        config_(task.service.config()),
        params_(task.params),
        argv_(task.params.at("argv").get<std::vector<std::string>>()),
        clock_(cluster().loop(), [this] { on_time_out(); }) {}

  void begin() {
    name_space_ = choose_namespace(params_, true, cluster().access());
    if (auto refused = refuse()) return fail_with(std::move(*refused));
    clock_.start(seconds(timeout_s()));
    const std::string kind = text_member(params_, "kind");
    if (kind.empty()) return read_pod(text_member(params_, "name"));
    find_kind(kind, text_member(params_, "apiVersion"), [this](const Cluster::FoundKind& found) {
      const Resource& resource = *found.resource;
      if (resource.kind == "Pod" && resource.group.empty()) {
        return read_pod(text_member(params_, "name"));
      }
      read_workload(resource);
    });
  }

  void cancel() override {
    if (call_) call_->stop();
    KubeRun::cancel();
  }

  Json partial() const override { return call_ && call_->was_sent() ? unfinished() : Json(); }

 private:
  std::int64_t timeout_s() const {
    return count_member(params_, "timeoutS").value_or(kTimeoutDefaultS);
  }
  std::size_t bytes_max() const {
    return static_cast<std::size_t>(count_member(params_, "maxBytes").value_or(kBytesDefault));
  }

  std::optional<Failure> refuse() {
    const bool has_zero = std::ranges::any_of(
        argv_, [](const std::string& word) { return word.find('\0') != std::string::npos; });
    if (has_zero || argv_.front().empty()) {
      return Failure::of({ErrorCode::kInvalidArgument,
                          "/params/argv: no word may have a zero byte, and the first one names a "
                          "program"});
    }
    const std::string& context = cluster().access().context;
    if (config_.allows_exec(context, name_space_, argv_)) return std::nullopt;
    Json words = Json::array();
    for (const std::string& word : argv_) words.push_back(word);
    return Failure::of(
        {ErrorCode::kPermissionDenied,
         fmt::format("this command may not run in namespace '{}' of context '{}'; kube.exec is off "
                     "but for what the worker's configuration file names: kube: {{exec: [{{context:"
                     " {}, namespaces: [{}], argv: [{}]}}]}}",
                     name_space_, context, context, name_space_,
                     excerpt(dump_json(words), kCommandBytes))});
  }

  void read_workload(const Resource& resource) {
    ApiRequest request;
    request.path = object_path(resource, resource.is_namespaced ? name_space_ : "",
                               text_member(params_, "name"));
    request.asked = object_kind(resource);
    send(std::move(request), [this](ApiReply& reply) {
      auto selector = pod_selector_of(reply.object());
      if (!selector) return fail_with(std::move(selector).error());
      find_pod(*selector);
    });
  }

  void find_pod(const std::string& selector) {
    ApiRequest request;
    request.path = with_query(collection_path(pods_, name_space_),
                              {{"labelSelector", selector}, {"limit", std::to_string(kPodsFound)}});
    request.asked = object_kind(pods_);
    send(std::move(request), [this, selector](ApiReply& reply) {
      const Json& list = reply.object();
      if (!is_list(list)) return fail_with(no_list());
      Failure why = Failure::of(
          {ErrorCode::kFailedPrecondition, fmt::format("no pod has the labels {} now", selector)});
      const std::string pod =
          choose_exec_pod(member(list, "items"), text_member(params_, "container"), why);
      if (pod.empty()) return fail_with(std::move(why));
      read_pod(pod);
    });
  }

  void read_pod(const std::string& name) {
    pod_ = name;
    ApiRequest request;
    request.path = object_path(pods_, name_space_, name);
    request.asked = object_kind(pods_);
    send(std::move(request), [this](ApiReply& reply) {
      auto container = exec_container_of(reply.object(), text_member(params_, "container"));
      if (!container) return fail_with(std::move(container).error());
      container_ = *container;
      run(reply.unredacted_for_a_write());
    });
  }

  void run(Json pod) {
    const Json& input = member(params_, "stdin");
    ExecRequest request;
    request.has_input = input.is_string();
    request.input = text_member(params_, "stdin");
    request.path = with_query(object_path(pods_, name_space_, pod_, "exec"),
                              {{"container", container_},
                               {"stdin", request.has_input ? "true" : ""},
                               {"stdout", "true"},
                               {"stderr", "true"}});
    // Also a word that is empty.
    for (const std::string& word : argv_) request.path += "&command=" + percent_encode(word);
    request.pod = std::move(pod);
    call_ = cluster().make_exec(std::move(request), [this](Result<std::int64_t, Failure> outcome) {
      if (has_ended()) return;
      clock_.stop();
      if (!outcome) return fail_after(std::move(outcome).error());
      answer(*outcome);
    });
    call_->start();
  }

  /// What is known of the command, whether it has ended or not.
  Json known() const {
    Json data = call_->output(bytes_max());
    data["pod"] = pod_;
    data["namespace"] = name_space_;
    data["container"] = container_;
    data["duration_ms"] = to_ms(call_->elapsed());
    // Whatever runs in the cluster wrote it: data, never instructions.
    data["untrusted"] = true;
    return data;
  }

  Json unfinished() const {
    Json details = known();
    details["ambiguous"] = true;
    details["hint"] = kMayRunOn;
    return details;
  }

  void fail_after(Failure failure) {
    if (!failure.details.is_object()) failure.details = Json::object();
    // What it printed before; a refusal has nothing of that.
    if (failure.details.contains("ambiguous")) failure.details.update(known());
    fail_with(std::move(failure));
  }

  void answer(std::int64_t exit_code) {
    Json data = known();
    data["exit_code"] = exit_code;
    if (exit_code == 0 || member(params_, "check") != Json(true)) return succeed(std::move(data));
    Failure failure;
    failure.code = ErrorCode::kUnknown;
    failure.retryable = false;
    failure.message = fmt::format("{}: exit code {}", argv_.front(), exit_code);
    failure.details = std::move(data);
    fail_with(std::move(failure));
  }

  void on_time_out() {
    if (has_ended()) return;
    Failure failure;
    failure.code = ErrorCode::kDeadlineExceeded;
    failure.retryable = false;
    failure.message = fmt::format("the command did not end within {} s", timeout_s());
    if (call_ && call_->was_sent()) {
      call_->stop();
      failure.message += fmt::format("; {}", kMayRunOn);
      failure.details = unfinished();
    } else {
      failure.message = fmt::format(
          "the server did not answer within {} s; the command was not sent", timeout_s());
      drop_requests();
    }
    fail_with(std::move(failure));
  }

  const KubeConfig& config_;
  const Json params_;
  const std::vector<std::string> argv_;
  const Resource pods_ = core_resource("Pod", "pods");
  LoopTimer clock_;
  std::string name_space_;
  std::string pod_;
  std::string container_;
  std::unique_ptr<ExecCall> call_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_exec(std::shared_ptr<KubeService> service,
                                         std::string_view schema) {
  return make_kube_executor<ExecRun>(
      {"kube.exec",
       "Runs one command in a container, without a terminal, and answers its exit code and output, "
       "bounded; off unless the configuration names the command.",
       schema, Effects::kExternal, Risk::kHigh},
      std::move(service));
}

}  // namespace filecall::worker::kube
