// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_run.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kWarningsMax = 20;

}  // namespace

KubeRun::KubeRun(std::shared_ptr<Cluster> cluster, std::function<void(Outcome)> done,
                 std::function<void()> yield_place)
    : cluster_(std::move(cluster)), done_(std::move(done)), yield_place_(std::move(yield_place)) {}

KubeRun::~KubeRun() { *is_alive_ = false; }

void KubeRun::cancel() {
  if (!done_) return;
  calls_.clear();
  Failure failure;
  failure.code = ErrorCode::kCancelled;
  failure.message = "cancelled";
  fail_with(std::move(failure));
}

void KubeRun::find_kind(const std::string& name, const std::string& api_version,
                        std::function<void(Cluster::FoundKind)> then) {
  cluster_->find_kind(name, api_version,
                      [this, alive = is_alive_, then = std::move(then)](auto found) {
                        if (!*alive || !done_) return;
                        if (!found) {
                          return fail_with(std::move(found).error());
                        }
                        then(*std::move(found));
                      });
}

void KubeRun::with_kinds(bool is_fresh, std::function<void(const ResourceTable&)> then) {
  cluster_->discovery().with_table(
      is_fresh, [this, alive = is_alive_, then = std::move(then)](const auto& result) {
        if (!*alive || !done_) return;
        if (!result) return fail_with(result.error());
        then(**result);
      });
}

void KubeRun::try_send(ApiRequest request, std::function<void(ApiAnswer)> then) {
  calls_.push_back(
      cluster_->make_call(std::move(request), [this, then = std::move(then)](ApiAnswer answer) {
        if (!done_) return;
        if (answer) take_warnings(*answer);
        then(std::move(answer));
      }));
  calls_.back()->start();
}

void KubeRun::send(ApiRequest request, std::function<void(ApiReply&)> then) {
  try_send(std::move(request), [this, then = std::move(then)](ApiAnswer answer) {
    if (!answer) return fail_with(std::move(answer).error());
    then(*answer);
  });
}

void KubeRun::send_last(ApiRequest request, std::function<void(ApiReply&)> then) {
  request.answered = yield_place_;
  send(std::move(request), std::move(then));
}

void KubeRun::succeed(Json data) {
  data["cluster"] = cluster_->identity();
  if (!warnings_.empty()) data["warnings"] = warnings_;
  std::exchange(done_, nullptr)(std::move(data));  // May destroy this.
}

void KubeRun::fail_with(Failure failure) {
  if (!failure.details.is_object()) failure.details = Json::object();
  failure.details["cluster"] = cluster_->identity();
  if (!warnings_.empty()) failure.details["warnings"] = warnings_;
  std::exchange(done_, nullptr)(std::move(failure));  // May destroy this.
}

void KubeRun::warn(std::string text) {
  if (warnings_.size() > kWarningsMax || std::ranges::find(warnings_, text) != warnings_.end()) {
    return;
  }
  warnings_.push_back(warnings_.size() < kWarningsMax ? std::move(text)
                                                      : "there are more warnings than are shown");
}

void KubeRun::take_warnings(const ApiReply& reply) {
  for (const std::string& warning : reply.warnings()) warn(warning);
}

std::string choose_namespace(const Json& params, bool is_namespaced, const ClusterAccess& access) {
  if (!is_namespaced) return "";
  const std::string given = text_member(params, "namespace");
  return given.empty() ? access.name_space : given;
}

Json identity_of(const Resource& resource, const std::string& name_space, const std::string& name) {
  Json identity = Json::object();  // Member by member: a list in braces builds arrays first.
  identity["apiVersion"] = resource.api_version();
  identity["kind"] = resource.kind;
  identity["name"] = name;
  if (!name_space.empty()) identity["namespace"] = name_space;
  return identity;
}

ObjectKind object_kind(const Resource& resource) { return {resource.group, resource.kind}; }

bool is_list(const Json& body) {
  const auto holds = [&](const char* name) {
    return body.is_object() && body.contains(name) &&
           (body[name].is_array() || body[name].is_null());
  };
  return holds("items") || holds("rows");
}

Failure no_list() {
  return Failure::of({ErrorCode::kUnavailable, "the server's response is not a list"});
}

std::optional<Failure> refuse_verb(const Resource& resource, std::string_view verb) {
  if (resource.verbs.empty() || resource.can(verb)) return std::nullopt;
  return Failure::of(
      {ErrorCode::kInvalidArgument,
       fmt::format("/params/kind: {} cannot be asked to {}; it knows {}", resource.qualified_name(),
                   verb, fmt::join(resource.verbs, ", "))});
}

}  // namespace filecall::worker::kube
