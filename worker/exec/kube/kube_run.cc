// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_run.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/client/near_names.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kWarningsMax = 20;
/// Of a collection, to look for what is near: one page.
constexpr int kNamesMax = 500;
constexpr const char* kNamesAccept =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,"
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";
const ObjectKind kNamespaces{"", "Namespace"};

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
  try_find_kind(name, api_version,
                [this, then = std::move(then)](Result<Cluster::FoundKind, Failure> found) {
                  if (!found) return fail_with(std::move(found).error());
                  then(*std::move(found));
                });
}

void KubeRun::try_find_kind(const std::string& name, const std::string& api_version,
                            std::function<void(Result<Cluster::FoundKind, Failure>)> then) {
  cluster_->find_kind(name, api_version,
                      [this, alive = is_alive_, then = std::move(then)](auto found) {
                        if (!*alive || !done_) return;
                        then(std::move(found));
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
  std::string path = request.path;
  ObjectKind asked = request.asked;
  try_send(std::move(request), [this, path = std::move(path), asked = std::move(asked),
                                then = std::move(then)](ApiAnswer answer) {
    if (!answer) return explain_absence(std::move(answer).error(), path, asked);
    then(*answer);
  });
}

void KubeRun::explain_absence(Failure failure, const std::string& path, const ObjectKind& asked) {
  const std::string name = text_member(failure.details, "name");
  const std::string collection = collection_of(path, name);
  const bool is_absent = failure.code == ErrorCode::kNotFound &&
                         text_member(failure.details, "reason") == "NotFound" &&
                         !collection.empty();
  if (!is_absent) return fail_with(std::move(failure));
  const bool is_namespace = text_member(failure.details, "kind") == "namespaces";
  const std::string name_space(namespace_in(path));
  read_names(collection, is_namespace ? kNamespaces : asked,
             [this, failure = std::move(failure), name, name_space,
              is_namespace](const std::vector<std::string>& names) mutable {
               add_near_names(failure, name, names);
               if (!names.empty() || name_space.empty() || is_namespace) {
                 return fail_with(std::move(failure));
               }
               explain_namespace(name_space, [this, failure = std::move(failure)](
                                                 const std::string& text) mutable {
                 if (!text.empty()) {
                   failure.message += "; " + text;
                   failure.details["namespaceExists"] = false;
                 }
                 fail_with(std::move(failure));
               });
             });
}

void KubeRun::read_names(std::string collection, ObjectKind kind,
                         std::function<void(std::vector<std::string>)> then) {
  ApiRequest request;
  request.path = with_query(std::move(collection), {{"limit", std::to_string(kNamesMax)}});
  request.accept = kNamesAccept;
  request.asked = std::move(kind);
  try_send(std::move(request), [then = std::move(then)](ApiAnswer answer) {
    std::vector<std::string> names;
    if (answer) {
      const Json& items = member(answer->object(), "items");
      for (const Json& item : items.is_array() ? items : Json::array()) {
        names.push_back(text_member(member(item, "metadata"), "name"));
      }
    }
    then(std::move(names));
  });
}

void KubeRun::explain_namespace(const std::string& name_space,
                                std::function<void(std::string)> then) {
  ApiRequest request;
  request.path = "/api/v1/namespaces/" + percent_encode(name_space);
  request.accept = kNamesAccept;
  request.asked = kNamespaces;
  try_send(std::move(request), [this, name_space, then = std::move(then)](ApiAnswer answer) {
    // Who may not look says nothing.
    if (answer || answer.error().code != ErrorCode::kNotFound) return then("");
    read_names("/api/v1/namespaces", kNamespaces,
               [name_space, then](const std::vector<std::string>& names) {
                 then(fmt::format("there is no namespace '{}'{}", name_space,
                                  near_names(name_space, names)));
               });
  });
}

void KubeRun::check_namespace(const std::string& name_space, std::function<void(Json)> then) {
  if (name_space.empty()) return then(Json::object());
  explain_namespace(name_space, [then = std::move(then)](const std::string& text) {
    then(text.empty() ? Json::object() : Json{{"namespaceExists", false}, {"hint", text}});
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
  if (!body.is_object()) return false;
  // Who reads `items` need not look at the type again: a Table has none.
  const char* const name = body.contains("items") ? "items" : "rows";
  return body.contains(name) && (body[name].is_array() || body[name].is_null());
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
