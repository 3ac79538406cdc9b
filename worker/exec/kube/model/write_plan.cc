// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/write_plan.h"

#include <fmt/format.h>

namespace filecall::worker::kube {
namespace {

Unexpected<Error> bad_write(std::string reason) {
  return fail(ErrorCode::kInvalidArgument, std::move(reason));
}

/// Puts the precondition into the metadata of an object that is sent: the server compares it.
void set_precondition(Json& object, const Precondition& precondition) {
  if (precondition.is_empty()) return;
  Json& metadata = object["metadata"];
  if (!precondition.uid.empty()) metadata["uid"] = precondition.uid;
  if (!precondition.resource_version.empty()) {
    metadata["resourceVersion"] = precondition.resource_version;
  }
}

/// A JSON patch tests its precondition with its first operations.
Json tested(const Json& operations, const Precondition& precondition) {
  Json out = Json::array();
  const auto test = [&](const char* member, const std::string& value) {
    if (value.empty()) return;
    out.push_back(
        {{"op", "test"}, {"path", fmt::format("/metadata/{}", member)}, {"value", value}});
  };
  test("uid", precondition.uid);
  test("resourceVersion", precondition.resource_version);
  for (const Json& operation : operations) out.push_back(operation);
  return out;
}

Result<void> check_operations(const Json& operations) {
  if (!operations.is_array() || operations.empty()) {
    return bad_write("/params/patch: a JSON patch is a list of operations with at least one");
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Json& operation = operations[i];
    if (!operation.is_object() || !operation.value("op", Json()).is_string() ||
        !operation.value("path", Json()).is_string()) {
      return bad_write(fmt::format("/params/patch/{}: an operation has op and path (RFC 6902)", i));
    }
  }
  return {};
}

Json delete_options(const Precondition& precondition, const WriteOptions& options) {
  Json body = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", options.propagation}};
  if (options.grace_period_s) body["gracePeriodSeconds"] = *options.grace_period_s;
  Json conditions = Json::object();
  if (!precondition.uid.empty()) conditions["uid"] = precondition.uid;
  if (!precondition.resource_version.empty()) {
    conditions["resourceVersion"] = precondition.resource_version;
  }
  if (!conditions.empty()) body["preconditions"] = std::move(conditions);
  return body;
}

}  // namespace

std::string WritePlan::body_text(bool is_dry_run) const {
  if (method != "DELETE" || !is_dry_run) return dump_json(body);
  Json options = body;
  options["dryRun"] = Json::array({"All"});
  return dump_json(options);
}

std::vector<std::pair<std::string, std::string>> WritePlan::query_for(bool is_dry_run) const {
  auto out = query;
  if (is_dry_run && method != "DELETE") out.emplace_back("dryRun", "All");
  return out;
}

Result<WritePlan> plan_write(WriteStrategy strategy, Json body, const Precondition& precondition,
                             const WriteOptions& options) {
  WritePlan plan;
  if (strategy == WriteStrategy::kDelete) {
    plan.method = "DELETE";
    plan.content_type = "application/json";
    plan.body = delete_options(precondition, options);
    return plan;
  }
  plan.query = {{"fieldManager", options.field_manager},
                {"fieldValidation", options.field_validation}};
  plan.method = strategy == WriteStrategy::kCreate ? "POST" : "PATCH";
  if (strategy == WriteStrategy::kJson) {
    TRY(check_operations(body));
    plan.content_type = "application/json-patch+json";
    plan.body = tested(body, precondition);
    return plan;
  }
  if (!body.is_object()) return bad_write("/params/patch: a merge patch is an object");
  plan.body = std::move(body);
  if (strategy == WriteStrategy::kCreate) {
    plan.content_type = "application/json";
    return plan;
  }
  if (strategy == WriteStrategy::kMerge) {
    plan.content_type = "application/merge-patch+json";
    const auto metadata = plan.body.find("metadata");
    if (metadata != plan.body.end() && !metadata->is_object()) {
      return bad_write("/params/patch/metadata: must be an object");
    }
    set_precondition(plan.body, precondition);
    return plan;
  }
  if (precondition.uid.empty() != precondition.resource_version.empty()) {
    return bad_write(
        "/params/precondition: an apply needs uid and resourceVersion together; with one alone the "
        "server may create an object that is gone");
  }
  plan.content_type = kApplyContentType;
  plan.query.emplace_back("force", options.force ? "true" : "false");
  set_precondition(plan.body, precondition);
  return plan;
}

}  // namespace filecall::worker::kube
