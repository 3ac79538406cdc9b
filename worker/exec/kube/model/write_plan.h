// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// How an object is changed.
enum class WriteStrategy : std::uint8_t {
  kCreate,  ///< POST; the object must not be there.
  kApply,   ///< Server-side apply: the body is everything that this manager wants.
  kMerge,   ///< JSON merge patch (RFC 7396): a partial change.
  kJson,    ///< JSON patch (RFC 6902): operations.
  kDelete,
};

/// The state that a write must find. Both or none for an apply: an apply with a resourceVersion
/// alone creates an object that is gone.
struct Precondition {
  std::string uid;
  std::string resource_version;
  bool is_empty() const { return uid.empty() && resource_version.empty(); }
};

struct WriteOptions {
  std::string field_manager = "filecall";
  bool force = false;
  std::string field_validation = "Strict";
  std::string propagation = "Background";  ///< Of a delete.
  std::optional<std::int64_t> grace_period_s = std::nullopt;
};

/// JSON is YAML.
inline constexpr std::string_view kApplyContentType = "application/apply-patch+yaml";

/// One write as it goes over the line, without its address. The same plan is previewed (with
/// `dryRun=All`) and carried out: nothing but that parameter differs.
struct WritePlan {
  std::string method;
  std::string content_type;
  Json body;
  std::vector<std::pair<std::string, std::string>> query;

  /// What is sent. A dry run stands in the body of a delete and in the query of everything else:
  /// a server that is sent DeleteOptions does not look at the query any more.
  std::string body_text(bool is_dry_run) const;
  std::vector<std::pair<std::string, std::string>> query_for(bool is_dry_run) const;
};

/// `body`: the manifest of a create or apply, the patch of kMerge (an object) or kJson (a list of
/// operations); ignored by kDelete. The precondition becomes part of the body. Failure:
/// invalid_argument (a patch of the wrong form, half a precondition for an apply). Pure.
Result<WritePlan> plan_write(WriteStrategy strategy, Json body, const Precondition& precondition,
                             const WriteOptions& options);

}  // namespace filecall::worker::kube
