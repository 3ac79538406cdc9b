// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/cluster.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/hash.h"
#include "base/result.h"

namespace filecall::worker::kube {
namespace {

std::string cache_file_of(const std::string& directory, const ClusterAccess& access) {
  if (directory.empty()) return "";
  const std::string key = access.server + "\n" + access.context;
  return fmt::format("{}/discovery-{}.json", directory, hash128(key).hex());
}

Failure unknown_kind(const UnknownKind& unknown, const std::string& name,
                     const ResourceTable& table) {
  Failure failure;
  failure.code = ErrorCode::kNotFound;
  failure.message = fmt::format("/params/kind: the cluster serves no '{}'", name);
  failure.message += unknown.nearest.empty()
                         ? "; kube.apiResources lists what it serves"
                         : fmt::format("; did you mean {}?", fmt::join(unknown.nearest, ", "));
  failure.details = Json{{"reason", "UnknownKind"}};
  if (!table.failed().empty()) {
    // Then it may be one of theirs.
    failure.details["unreachable"] = table.failed();
    failure.message += fmt::format("; not reachable now: {}", fmt::join(table.failed(), ", "));
  }
  return failure;
}

Failure ambiguous_kind(const AmbiguousKind& ambiguous, const std::string& name) {
  Failure failure;
  failure.code = ErrorCode::kInvalidArgument;
  std::vector<std::string> names;
  Json choices = Json::array();
  for (const Resource* choice : ambiguous.choices) {
    names.push_back(choice->qualified_name());
    choices.push_back({{"kind", choice->kind},
                       {"apiVersion", choice->api_version()},
                       {"name", choice->qualified_name()}});
  }
  failure.message = fmt::format(
      "/params/kind: '{}' may be any of {}; give one of these names, or "
      "apiVersion",
      name, fmt::join(names, ", "));
  failure.details = Json{{"reason", "AmbiguousKind"}, {"choices", std::move(choices)}};
  return failure;
}

Failure unserved_version(const UnservedVersion& unserved, const std::string& name,
                         const std::string& api_version) {
  Failure failure;
  failure.code = ErrorCode::kNotFound;
  failure.message = fmt::format("/params/apiVersion: the cluster serves '{}' not in {} but in {}",
                                name, api_version.empty() ? "that version" : api_version,
                                fmt::join(unserved.served, ", "));
  failure.details = Json{{"reason", "UnservedVersion"}, {"served", unserved.served}};
  return failure;
}

}  // namespace

Failure failure_of(const KindMatch& match, const std::string& name, const std::string& api_version,
                   const ResourceTable& table) {
  if (const auto* unknown = std::get_if<UnknownKind>(&match)) {
    return unknown_kind(*unknown, name, table);
  }
  if (const auto* ambiguous = std::get_if<AmbiguousKind>(&match)) {
    return ambiguous_kind(*ambiguous, name);
  }
  const auto* unserved = std::get_if<UnservedVersion>(&match);
  CHECK(unserved != nullptr, "a match that is a resource is no failure");
  return unserved_version(*unserved, name, api_version);
}

Cluster::Cluster(uv_loop_t* loop, HttpClient& http, const DigestKey& digest_key, PluginRules rules,
                 ClusterAccess access, const Environment& environment,
                 const std::string& cache_directory,
                 std::shared_ptr<const RedactionRules> redaction)
    : loop_(loop),
      digest_key_(digest_key),
      redaction_(std::move(redaction)),
      http_(http),
      credentials_(loop, std::move(rules), std::move(access), environment),
      discovery_({http_, credentials_, digest_key_, redaction_},
                 cache_file_of(cache_directory, credentials_.access())) {}

Json Cluster::identity() const {
  return Json{{"context", access().context}, {"server", access().server}};
}

std::unique_ptr<ApiCall> Cluster::make_call(ApiRequest request,
                                            std::function<void(ApiAnswer)> done) {
  return std::make_unique<ApiCall>(ApiCall::Line{http_, credentials_, digest_key_, redaction_},
                                   std::move(request), std::move(done));
}

std::unique_ptr<ExecCall> Cluster::make_exec(
    ExecRequest request, std::function<void(Result<std::int64_t, Failure>)> done) {
  return std::make_unique<ExecCall>(loop_,
                                    ApiCall::Line{http_, credentials_, digest_key_, redaction_},
                                    std::move(request), std::move(done));
}

void Cluster::find_kind(const std::string& name, const std::string& api_version,
                        std::function<void(Result<FoundKind, Failure>)> then) {
  const auto look = [name, api_version](const Discovery::Table& table) {
    return table->find(name, api_version);
  };
  discovery_.with_table(false, [this, look, name, api_version, then = std::move(then)](
                                   const Result<Discovery::Table, Failure>& kept) {
    if (!kept) return then(kept.error());
    const auto& table = *kept;
    if (const auto match = look(table); std::holds_alternative<const Resource*>(match)) {
      return then(FoundKind{table, std::get<const Resource*>(match)});
    }
    // Perhaps it was installed since.
    discovery_.with_table(
        true, [look, name, api_version, then](const Result<Discovery::Table, Failure>& asked) {
          if (!asked) return then(asked.error());
          const auto& fresh = *asked;
          const auto match = look(fresh);
          if (!std::holds_alternative<const Resource*>(match)) {
            return then(failure_of(match, name, api_version, *fresh));
          }
          then(FoundKind{fresh, std::get<const Resource*>(match)});
        });
  });
}

}  // namespace filecall::worker::kube
