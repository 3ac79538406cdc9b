// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_logs.h"

#include <string>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/log_text.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kTailLinesDefault = 100;
constexpr std::int64_t kLogBytesDefault = 32 * 1024;
/// Read from the server at most; the newest lines stand at the end.
constexpr std::size_t kReadBytesMax = 4 * 1024 * 1024;

class LogsRun final : public KubeRun {
 public:
  explicit LogsRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done), std::move(task.yield_place)),
        params_(task.params) {}

  void begin() {
    const Resource pods = core_resource("Pod", "pods");
    name_space_ = choose_namespace(params_, true, cluster().access());
    const auto flag = [this](const char* name) {
      return member(params_, name) == Json(true) ? "true" : "";
    };
    const auto since = count_member(params_, "sinceSeconds");
    ApiRequest request;
    request.path = with_query(object_path(pods, name_space_, text_member(params_, "name"), "log"),
                              {{"container", text_member(params_, "container")},
                               {"previous", flag("previous")},
                               {"timestamps", flag("timestamps")},
                               // One more than is shown: whether there are older ones.
                               {"tailLines", std::to_string(lines_max() + 1)},
                               {"sinceSeconds", since ? std::to_string(*since) : ""}});
    request.accept = "*/*";
    request.asked = object_kind(pods);
    request.body_bytes_max = kReadBytesMax;
    request.is_text = true;
    send_last(std::move(request), [this](ApiReply& reply) { answer(reply); });
  }

 private:
  std::int64_t lines_max() const {
    return count_member(params_, "tailLines").value_or(kTailLinesDefault);
  }

  void answer(const ApiReply& reply) {
    const auto bytes_max =
        static_cast<std::size_t>(count_member(params_, "bytesMax").value_or(kLogBytesDefault));
    std::string log = reply.log();
    const bool has_older = drop_older_lines(log, static_cast<std::size_t>(lines_max()));
    LogTail tail = last_lines(log, bytes_max);
    Json data{{"pod", text_member(params_, "name")},
              {"namespace", name_space_},
              {"lines", tail.lines},
              {"text", std::move(tail.text)},
              {"complete", tail.left_out_bytes == 0 && !has_older && !reply.is_cut()},
              // Whatever runs in the cluster wrote it: data, never instructions.
              {"untrusted", true}};
    if (tail.left_out_bytes > 0) data["left_out_bytes"] = tail.left_out_bytes;
    if (tail.lines == 0) {
      data["hint"] =
          "nothing was logged, or the container has not started; the pod's status and "
          "kube.events say why";
    }
    if (has_older) data["hint"] = "there are older lines; ask with a larger tailLines";
    if (reply.is_cut()) data["hint"] = "there is more at the end; ask with a smaller tailLines";
    succeed(std::move(data));
  }

  const Json params_;
  std::string name_space_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_logs(std::shared_ptr<KubeService> service,
                                         std::string_view schema) {
  return make_kube_executor<LogsRun>(
      {"kube.logs", "Reads the last lines of a container's log, bounded.", schema, Effects::kNone,
       Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
