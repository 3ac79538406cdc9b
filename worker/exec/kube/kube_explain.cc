// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_explain.h"

#include <fmt/core.h>

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/api_schema.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kFieldBytesDefault = 16 * 1024;

class ExplainRun final : public KubeRun {
 public:
  explicit ExplainRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done), std::move(task.yield_place)),
        params_(task.params) {}

  void begin() {
    const std::string api_version = text_member(params_, "apiVersion");
    std::string kind = text_member(params_, "kind");
    question_.field = text_member(params_, "field");
    // "deployment.spec.replicas", as with kubectl: unless the whole is a name ("gateways.group").
    if (question_.field.empty() && kind.find('.') != kind.npos) {
      return with_kinds(false, [this, kind, api_version](const ResourceTable& table) {
        const std::size_t end = end_of_kind(table, kind, api_version);
        if (end < kind.size()) question_.field = kind.substr(end + 1);
        find(kind.substr(0, end), api_version);
      });
    }
    find(kind, api_version);
  }

 private:
  /// The longest beginning that names a kind; where none does, the whole, so that the failure names
  /// what was asked for.
  static std::size_t end_of_kind(const ResourceTable& table, std::string_view text,
                                 const std::string& api_version) {
    for (std::size_t end = text.size(); end != text.npos; end = text.rfind('.', end - 1)) {
      const KindMatch match = table.find(text.substr(0, end), api_version);
      if (!std::holds_alternative<UnknownKind>(match)) return end;
      if (end == 0) break;
    }
    return text.find('.');
  }

  void find(const std::string& kind, const std::string& api_version) {
    find_kind(kind, api_version, [this](Cluster::FoundKind found) {
      found_ = std::move(found);
      const Resource& resource = *found_.resource;
      question_.group = resource.group;
      question_.version = resource.version;
      question_.kind = resource.kind;
      question_.depth = static_cast<int>(count_member(params_, "depth").value_or(1));
      question_.bytes_max =
          static_cast<std::size_t>(count_member(params_, "maxBytes").value_or(kFieldBytesDefault));
      question_.has_whole_descriptions = text_member(params_, "descriptions") == "whole";
      ask_newer();
    });
  }

  void ask_newer() {
    const Resource& resource = *found_.resource;
    const std::string version = percent_encode(resource.version);
    ApiRequest request;
    request.path = resource.group.empty() ? fmt::format("/openapi/v3/api/{}", version)
                                          : fmt::format("/openapi/v3/apis/{}/{}",
                                                        percent_encode(resource.group), version);
    try_send(std::move(request), [this](ApiAnswer answer) {
      if (answer && describes(answer->object(), question_)) return tell(*answer, "openapi/v3");
      const bool is_absent = answer || answer.error().code == ErrorCode::kNotFound ||
                             answer.error().code == ErrorCode::kUnimplemented;
      if (!is_absent) return fail_with(std::move(answer).error());
      ask_older();
    });
  }

  void ask_older() {
    ApiRequest request;
    request.path = "/openapi/v2";
    send_last(std::move(request), [this](ApiReply& reply) { tell(reply, "openapi/v2"); });
  }

  void tell(ApiReply& reply, const char* source) {
    const ShowValue show = [&reply](const std::string& name, const Json& value) {
      return reply.redacted({{name, value}}, {})[name];
    };
    auto data = explain(reply.object(), question_, show);
    if (!data) return fail_with(std::move(data).error());
    (*data)["apiVersion"] = found_.resource->api_version();
    (*data)["kind"] = question_.kind;
    (*data)["source"] = source;
    succeed(*std::move(data));
  }

  const Json params_;
  Cluster::FoundKind found_;
  ExplainQuestion question_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_explain(std::shared_ptr<KubeService> service,
                                            std::string_view schema) {
  return make_kube_executor<ExplainRun>(
      {"kube.explain",
       "Says what a kind or a field of it means: type, description, what is required, the fields "
       "below. Custom kinds included.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
