// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_write_run.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "os/process.h"
#include "os/system_clock.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_config.h"
#include "worker/exec/kube/model/kept_fields.h"
#include "worker/exec/kube/model/yaml_reader.h"
#include "worker/exec/kube/preview_key.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kWrittenObjectBytesMax = 16 * 1024 * 1024;

/// The apiVersion that the manifest itself says; "" when it says none.
std::string written_api_version(const Json& params) {
  std::string version = text_member(member(params, "values"), "apiVersion");
  if (!version.empty() || !member(params, "manifestYaml").is_string()) return version;
  const auto documents = read_yaml(text_member(params, "manifestYaml"));
  // What is wrong with it is said when the manifest is built.
  return documents && documents->size() == 1 ? text_member((*documents)[0], "apiVersion") : "";
}

std::int64_t now_s() {
  const auto since = system_clock().wall().time_since_epoch();
  return std::chrono::duration_cast<seconds>(since).count();
}

/// Whether the server said that it did not do it. After any other failure it may have.
bool was_refused(const Failure& failure) {
  const std::int64_t status = count_member(failure.details, "http_status").value_or(0);
  return status >= 400 && status < 500 && !failure.details.contains("ambiguous");
}

/// Whether a patch, merge or JSON, speaks of the status.
bool has_status(const Json& patch) {
  if (!patch.is_array()) return member(patch, "status").is_object();
  return std::ranges::any_of(patch, [](const Json& operation) {
    return text_member(operation, "path").starts_with("/status");
  });
}

/// A body in a form of which the Redactor learns secret values: the operations of a JSON patch
/// stand in a list, and their values in no `data`.
Json learnable(const Json& body) {
  if (!body.is_array()) return body;
  Json data = Json::object();
  for (const Json& operation : body) {
    const Json& value = member(operation, "value");
    const std::string number = std::to_string(data.size());
    if (value.is_string()) data[number] = value;
    if (value.is_object()) {
      for (const auto& [key, text] : value.items()) {
        if (text.is_string()) data[number + key] = text;
      }
    }
  }
  return {{"items", body}, {"data", data}, {"stringData", data}};
}

}  // namespace

WriteRun::WriteRun(KubeTask task)
    : KubeRun(std::move(task.cluster), std::move(task.done)),
      params_(task.params),
      service_(task.service) {}

void WriteRun::find_target(std::string_view verb, std::function<void()> then,
                           std::string_view subresource) {
  subresource_ = subresource;
  std::string version = text_member(params_, "apiVersion");
  if (version.empty()) version = written_api_version(params_);
  find_kind(text_member(params_, "kind"), version,
            [this, verb = std::string(verb), then = std::move(then)](Cluster::FoundKind found) {
              found_ = std::move(found);
              if (auto refused = refuse_verb(resource(), verb)) {
                return fail_with(std::move(*refused));
              }
              if (std::string mistake = subresource_mistake(); !mistake.empty()) {
                return fail_with(Failure::of({ErrorCode::kInvalidArgument, std::move(mistake)}));
              }
              name_ = text_member(params_, "name");
              name_space_ = choose_namespace(params_, resource().is_namespaced, cluster().access());
              then();
            });
}

std::string WriteRun::subresource_mistake() const {
  const auto& parts = resource().subresources;
  if (subresource_.empty() || std::ranges::find(parts, subresource_) != parts.end()) return "";
  return fmt::format("/params/kind: {} has no subresource {}{}", resource().qualified_name(),
                     subresource_,
                     parts.empty() ? "" : fmt::format("; it has {}", fmt::join(parts, ", ")));
}

Result<WritePlan, Failure> WriteRun::prepare_patch(WriteStrategy strategy, Json patch,
                                                   const Precondition& precondition) const {
  auto plan = plan_write(strategy, std::move(patch), precondition, options());
  if (!plan) return Failure::of(plan.error());
  return *std::move(plan);
}

Result<Json> WriteRun::built_manifest() {
  std::optional<std::string> yaml;
  if (member(params_, "manifestYaml").is_string()) yaml = text_member(params_, "manifestYaml");
  TRY_ASSIGN(
      BuiltManifest built,
      build_manifest({resource().api_version(), resource().kind, name_, name_space_},
                     member(params_, "values"),
                     yaml ? std::optional<std::string_view>(*yaml) : std::nullopt,
                     subresource_ == "status" ? WrittenPart::kStatus : WrittenPart::kObject));
  for (std::string& note : built.notes) notes_.push_back(std::move(note));
  return std::move(built.manifest);
}

Result<WritePlan, Failure> WriteRun::prepare(WriteStrategy strategy,
                                             const Precondition& precondition) {
  if (std::string misfit = misfit_of(params_, strategy); !misfit.empty()) {
    return Failure::of({ErrorCode::kInvalidArgument, std::move(misfit)});
  }
  Json body;
  if (strategy == WriteStrategy::kMerge || strategy == WriteStrategy::kJson) {
    body = member(params_, "patch");
    if (body.is_object()) {
      const ObjectIdentity target{resource().api_version(), resource().kind, name_, name_space_};
      if (const auto checked = check_kind(target, body, "patch: "); !checked) {
        return Failure::of(checked.error());
      }
    }
    if (std::string mistake = status_mistake(body); !mistake.empty()) {
      return Failure::of({ErrorCode::kInvalidArgument, std::move(mistake)});
    }
  } else if (strategy != WriteStrategy::kDelete) {
    auto manifest = built_manifest();
    if (!manifest) return Failure::of(manifest.error());
    body = *std::move(manifest);
  }
  auto plan = plan_write(strategy, std::move(body), precondition, options());
  if (!plan) return Failure::of(plan.error());
  return *std::move(plan);
}

std::string WriteRun::status_mistake(const Json& patch) {
  const auto& parts = resource().subresources;
  if (std::ranges::find(parts, "status") == parts.end()) return "";
  if (subresource_ == "status") {
    return has_status(patch) ? "" : "/params/patch: subresource status writes the status alone";
  }
  std::size_t of_status = 0;
  if (patch.is_array()) {
    of_status = static_cast<std::size_t>(std::ranges::count_if(patch, [](const Json& operation) {
      const std::string path = text_member(operation, "path");
      return path == "/status" || path.starts_with("/status/");
    }));
  } else if (patch.is_object() && patch.contains("status")) {
    of_status = 1;
  }
  if (of_status == 0) return "";
  const std::string reason = fmt::format(
      "the status of {} is written through its subresource, by its controller; a patch of the "
      "object does not change it (subresource: status does)",
      resource().plural);
  if (of_status == patch.size()) return "/params/patch: nothing would change: " + reason;
  warn(reason);
  return "";
}

std::optional<Failure> WriteRun::refuse(const WritePlan& plan) {
  // A dry run changes nothing.
  if (!is_dry_run()) {
    if (std::string refusal = refusal_of(verbs_of(plan)); !refusal.empty()) {
      return Failure::of({ErrorCode::kPermissionDenied, std::move(refusal)});
    }
  }
  const std::string expected = text_member(params_, "expectedDigest");
  if (expected.empty()) return std::nullopt;
  const std::string mistake =
      mistake_of_digest(preview_key(), bound(plan), expected, now_s(), digest_validity_s());
  if (mistake.empty()) return std::nullopt;
  return Failure::of({ErrorCode::kFailedPrecondition, "/params/expectedDigest: " + mistake});
}

std::vector<std::string_view> WriteRun::verbs_of(const WritePlan& plan) const {
  if (plan.method == "POST") return {"create"};
  if (plan.method == "DELETE") return {"delete"};
  const bool may_create = member(params_, "requireExists") == Json(false);
  return may_create ? std::vector<std::string_view>{"patch", "create"}
                    : std::vector<std::string_view>{"patch"};
}

std::string WriteRun::refusal_of(const std::vector<std::string_view>& verbs) {
  const std::string& context = cluster().access().context;
  const KubeConfig& config = service_.config();
  if (config.allows_write(context, resource(), name_space_, verbs, subresource_)) return "";
  // Who may delete a pod may ask for its end as well.
  if (subresource_ == "eviction" &&
      config.allows_write(context, resource(), name_space_, {"delete"})) {
    return "";
  }
  const std::string place =
      name_space_.empty() ? "" : fmt::format("namespace '{}' of ", name_space_);
  const bool is_named =
      must_be_named(resource()) || (!subresource_.empty() && subresource_ != "scale");
  const std::string what =
      resource().qualified_name() + (subresource_.empty() ? "" : "/" + subresource_);
  return fmt::format(
      "{} in {}context '{}' may not be written ({}){}; to allow it, add to the worker's "
      "configuration file: kube: {{writable: [{{context: {}, namespaces: [{}]{}}}]}}",
      what, place, context, fmt::join(verbs, ", "),
      is_named
          ? ", and subresources, kinds of the whole cluster, RBAC, webhooks and Secrets must be "
            "named"
          : "",
      context, name_space_.empty() ? "\"*\"" : name_space_,
      is_named ? fmt::format(", kinds: [{}]", what) : "");
}

void WriteRun::write(const WritePlan& plan, std::function<void(ApiAnswer)> then) {
  const auto stamp = stamp_of_digest(text_member(params_, "expectedDigest"));
  const bool uses_up = stamp && !is_dry_run();
  if (uses_up) {
    if (const auto taken = service_.preview_uses().take(*stamp, now_s()); !taken) {
      return fail_with(Failure::of(taken.error()));
    }
  }
  try_send(request_of(plan, is_dry_run()),
           [this, uses_up, stamp, path = path_of(plan), then = std::move(then)](ApiAnswer answer) {
             if (uses_up && !answer && was_refused(answer.error())) {
               service_.preview_uses().give_back(*stamp);
             }
             if (!answer && answer.error().code == ErrorCode::kNotFound) {
               return explain_absence(std::move(answer).error(), path, object_kind(resource()));
             }
             then(std::move(answer));
           });
}

bool WriteRun::expects_absence() const {
  return !text_member(params_, "expectedDigest").empty() && given_precondition().is_empty();
}

void WriteRun::compare(const WritePlan& plan, const Json& answered) {
  std::string text = not_kept_warning(plan.body, answered);
  if (!text.empty()) warn(std::move(text));
}

std::string WriteRun::path_of(const WritePlan& plan) const {
  const bool makes_new = plan.method == "POST" && subresource_.empty();
  return makes_new ? collection_path(resource(), name_space_)
                   : object_path(resource(), name_space_, name_, subresource_);
}

DigestKey WriteRun::preview_key() {
  const auto stored = stored_preview_key(service_.config().cache_directory);
  return stored ? *stored : cluster().digest_key();
}

BoundWrite WriteRun::bound(const WritePlan& plan) {
  const ClusterAccess& access = cluster().access();
  return {access.server, access.context, path_of(plan), plan};
}

std::string WriteRun::new_digest(const WritePlan& plan) {
  return preview_digest(preview_key(), bound(plan),
                        {now_s(), fmt::format("{:016x}", random_seed())});
}

std::int64_t WriteRun::digest_validity_s() const {
  return std::chrono::duration_cast<seconds>(service_.config().preview_validity).count();
}

ApiRequest WriteRun::request_of(const WritePlan& plan, bool is_dry_run) const {
  ApiRequest request;
  request.method = plan.method;
  request.path = with_query(path_of(plan), plan.query_for(is_dry_run));
  request.content_type = plan.content_type;
  request.body = plan.body_text(is_dry_run);
  request.body_object = learnable(plan.body);
  request.earlier_object = earlier_;
  request.asked = object_kind(resource());
  request.may_change = !is_dry_run;
  request.body_bytes_max = kWrittenObjectBytesMax;
  return request;
}

ApiRequest WriteRun::reading() const {
  ApiRequest request;
  // An eviction is only made.
  const std::string part = subresource_ == "eviction" ? "" : subresource_;
  request.path = object_path(resource(), name_space_, name_, part);
  request.asked = object_kind(resource());
  request.body_bytes_max = kWrittenObjectBytesMax;
  return request;
}

Precondition WriteRun::given_precondition() const {
  const Json& given = member(params_, "precondition");
  return {text_member(given, "uid"), text_member(given, "resourceVersion")};
}

WriteOptions WriteRun::options() const {
  WriteOptions options;
  if (const std::string text = text_member(params_, "fieldManager"); !text.empty()) {
    options.field_manager = text;
  }
  if (const std::string text = text_member(params_, "fieldValidation"); !text.empty()) {
    options.field_validation = text;
  }
  if (const std::string text = text_member(params_, "propagationPolicy"); !text.empty()) {
    options.propagation = text;
  }
  options.force = member(params_, "force") == Json(true);
  if (const Json& seconds = member(params_, "gracePeriodSeconds"); seconds.is_number_integer()) {
    options.grace_period_s = seconds.get<std::int64_t>();
  }
  return options;
}

Json WriteRun::identity() const { return identity_of(resource(), name_space_, name_); }

bool WriteRun::is_dry_run() const { return member(params_, "dryRun") == Json(true); }

}  // namespace filecall::worker::kube
