// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/kube/model/field_path.h"

namespace filecall::worker::kube {

/// A sanitized manifest without what says nothing: members that have the server's default (not of
/// custom kinds, whose definition chooses it), empty objects and lists, null, empty texts of the
/// status; conditions of the status as {type: "True"} or {type: "False: reason"}. Pure.
Json compact(Json manifest);

/// Without what an answer's `identity` says as well. Pure.
Json without_identity(Json manifest, const Json& identity);

/// A field as a request names it: `spec.replicas`, `.spec.containers[*].image`,
/// `{.metadata.labels["a/b"]}`. Failure: invalid_argument, what is none (filters, slices, `..`).
Result<FieldPath> parse_field(std::string_view text);

/// What stands at the field: the value, or the list of them where the path walks a list; null when
/// there is nothing. Pure.
Json value_at(const Json& manifest, std::string_view text, const FieldPath& path);

/// The `fields` of a request: the columns of a table.
class FieldColumns {
 public:
  FieldColumns() = default;
  /// `fields`: a list of texts; anything else is none. Failures: those of parse_field().
  static Result<FieldColumns> parse(const Json& fields);

  bool is_empty() const { return fields_.empty(); }
  Json names() const;
  /// The value at each field of the object.
  Json row_of(const Json& object) const;

 private:
  std::vector<std::pair<std::string, FieldPath>> fields_;
};

}  // namespace filecall::worker::kube
