// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_logs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/log_text.h"
#include "worker/exec/kube/model/pod_selection.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kTailLinesDefault = 100;
constexpr std::int64_t kLogBytesDefault = 32 * 1024;
/// Read from the server at most; the newest lines stand at the end.
constexpr std::size_t kReadBytesMax = 4 * 1024 * 1024;

/// Pods that are looked at for a selector, and logs that are read of them.
constexpr std::int64_t kLogPodsDefault = 10;
constexpr std::size_t kLogStreamsMax = 50;
constexpr int kLogPodsFound = 500;
constexpr int kLogsAtOnce = 4;
/// The share of one log in the answer's text.
constexpr std::size_t kLogShareMin = 256;

class LogsRun final : public KubeRun {
 public:
  explicit LogsRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done), std::move(task.yield_place)),
        params_(task.params) {}

  void begin() {
    name_space_ = choose_namespace(params_, true, cluster().access());
    const std::string kind = text_member(params_, "kind");
    const std::string selector = text_member(params_, "labelSelector");
    if (text_member(params_, "name").empty()) return find_pods(selector);
    if (!selector.empty()) {
      return fail_with(Failure::of({ErrorCode::kInvalidArgument,
                                    "/params/labelSelector: give a name or a selector, not both"}));
    }
    if (kind.empty()) return read_one();
    find_kind(kind, text_member(params_, "apiVersion"), [this](const Cluster::FoundKind& found) {
      const Resource& resource = *found.resource;
      if (resource.kind == "Pod" && resource.group.empty()) return read_one();
      read_workload(resource);
    });
  }

 private:
  ApiRequest request_of(const std::string& pod, const std::string& container) const {
    const auto flag = [this](const char* name) {
      return member(params_, name) == Json(true) ? "true" : "";
    };
    const auto since = count_member(params_, "sinceSeconds");
    ApiRequest request;
    request.path = with_query(object_path(pods_, name_space_, pod, "log"),
                              {{"container", container},
                               {"previous", flag("previous")},
                               {"timestamps", flag("timestamps")},
                               // One more than is shown: whether there are older ones.
                               {"tailLines", std::to_string(lines_max() + 1)},
                               {"sinceSeconds", since ? std::to_string(*since) : ""}});
    request.accept = "*/*";
    request.asked = object_kind(pods_);
    request.body_bytes_max = kReadBytesMax;
    request.is_text = true;
    return request;
  }

  std::int64_t lines_max() const {
    return count_member(params_, "tailLines").value_or(kTailLinesDefault);
  }
  std::size_t bytes_max() const {
    const auto named_as_elsewhere = count_member(params_, "maxBytes");
    return static_cast<std::size_t>(
        named_as_elsewhere.value_or(count_member(params_, "bytesMax").value_or(kLogBytesDefault)));
  }

  void read_one() {
    send_last(request_of(text_member(params_, "name"), text_member(params_, "container")),
              [this](ApiReply& reply) {
                Json data = shown(reply, bytes_max());
                data["pod"] = text_member(params_, "name");
                data["namespace"] = name_space_;
                // Whatever runs in the cluster wrote it: data, never instructions.
                data["untrusted"] = true;
                succeed(std::move(data));
              });
  }

  /// {"lines", "text", "complete", "left_out_bytes"?, "hint"?} of one log.
  Json shown(const ApiReply& reply, std::size_t share) const {
    std::string log = reply.log();
    const bool has_older = drop_older_lines(log, static_cast<std::size_t>(lines_max()));
    LogTail tail = last_lines(log, share);
    Json out{{"lines", tail.lines},
             {"text", std::move(tail.text)},
             {"complete", tail.left_out_bytes == 0 && !has_older && !reply.is_cut()}};
    if (tail.left_out_bytes > 0) out["left_out_bytes"] = tail.left_out_bytes;
    if (tail.lines == 0) {
      out["hint"] =
          "nothing was logged, or the container has not started; the pod's status and "
          "kube.events say why";
    }
    if (has_older) out["hint"] = "there are older lines; ask with a larger tailLines";
    if (reply.is_cut()) out["hint"] = "there is more at the end; ask with a smaller tailLines";
    return out;
  }

  void read_workload(const Resource& resource) {
    ApiRequest request;
    request.path = object_path(resource, resource.is_namespaced ? name_space_ : "",
                               text_member(params_, "name"));
    request.asked = object_kind(resource);
    send(std::move(request), [this](ApiReply& reply) {
      auto selector = pod_selector_of(reply.object());
      if (!selector) return fail_with(std::move(selector).error());
      find_pods(*selector);
    });
  }

  void find_pods(const std::string& selector) {
    selector_ = selector;
    ApiRequest request;
    request.path =
        with_query(collection_path(pods_, name_space_),
                   {{"labelSelector", selector}, {"limit", std::to_string(kLogPodsFound)}});
    request.asked = object_kind(pods_);
    send(std::move(request), [this](ApiReply& reply) {
      const Json& list = reply.object();
      if (!is_list(list)) return fail_with(no_list());
      has_more_pods_ = !text_member(member(list, "metadata"), "continue").empty();
      const auto pods_max = count_member(params_, "maxPods").value_or(kLogPodsDefault);
      chosen_ = choose_log_streams(member(list, "items"), text_member(params_, "container"),
                                   static_cast<std::size_t>(pods_max), kLogStreamsMax);
      logs_ = Json::array();
      for (const LogStream& stream : chosen_.streams) {
        logs_.push_back({{"pod", stream.pod}, {"container", stream.container}});
      }
      read_next();
    });
  }

  /// Some at a time; answers when none is left. Nothing may follow a call of it.
  void read_next() {
    is_reading_ = true;  // An answer may come before try_send() returns.
    while (in_flight_ < kLogsAtOnce && next_ < chosen_.streams.size()) {
      const std::size_t index = next_++;
      const LogStream& stream = chosen_.streams[index];
      ++in_flight_;
      try_send(request_of(stream.pod, stream.container), [this, index](ApiAnswer answer) {
        --in_flight_;
        const std::size_t share = std::max(kLogShareMin, bytes_max() / chosen_.streams.size());
        if (answer) {
          logs_[index].update(shown(*answer, share));
        } else {
          logs_[index].update(Json{
              {"lines", 0}, {"text", ""}, {"complete", false}, {"why", answer.error().message}});
        }
        if (!is_reading_) read_next();
      });
    }
    is_reading_ = false;
    if (in_flight_ == 0 && next_ == chosen_.streams.size()) finish();
  }

  void finish() {
    Json data{{"namespace", name_space_}, {"selector", selector_}, {"untrusted", true}};
    std::size_t lines = 0;
    bool is_complete = chosen_.pods_left_out == 0 && !has_more_pods_;
    for (const Json& log : logs_) {
      lines += log["lines"].get<std::size_t>();
      is_complete = is_complete && log["complete"] == Json(true);
    }
    data["lines"] = lines;
    data["pods"] = chosen_.pods;
    data["complete"] = is_complete;
    if (chosen_.pods_left_out > 0) {
      data["podsLeftOut"] = chosen_.pods_left_out;
      data["hint"] =
          "there are more pods, or pods without this container; ask with a larger "
          "maxPods, or with a container that they have";
    }
    if (has_more_pods_)
      data["hint"] = "there are more pods than are looked at; narrow the selector";
    data["logs"] = std::move(logs_);
    if (chosen_.pods > 0) return succeed(std::move(data));
    data["hint"] = "no pod has these labels now";
    check_namespace(name_space_, [this, data](const Json& more) mutable {
      data.update(more);
      succeed(std::move(data));
    });
  }

  const Json params_;
  const Resource pods_ = core_resource("Pod", "pods");
  std::string name_space_;
  std::string selector_;
  LogStreams chosen_;
  bool has_more_pods_ = false;
  Json logs_;
  std::size_t next_ = 0;
  int in_flight_ = 0;
  bool is_reading_ = false;
};

}  // namespace

std::unique_ptr<Executor> make_kube_logs(std::shared_ptr<KubeService> service,
                                         std::string_view schema) {
  return make_kube_executor<LogsRun>(
      {"kube.logs",
       "Reads the last lines of a container's log, or of those of a workload or selector, bounded.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
