// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// Which object is meant, after the kind was looked up: what the arguments of a command say.
struct ObjectIdentity {
  std::string api_version;  ///< "apps/v1", "v1".
  std::string kind;
  std::string name;
  std::string ns;  ///< Empty for a kind without namespaces.
  bool operator==(const ObjectIdentity&) const = default;
};

/// The group of an apiVersion: "" of "v1", "apps" of "apps/v1".
std::string_view group_of(std::string_view api_version);

/// What a write sends.
struct BuiltManifest {
  Json manifest;
  /// What was changed on the way, one sentence each: a name that the text gave otherwise, members
  /// that only the server sets.
  std::vector<std::string> notes;
};

/// What of an object is written: its status alone, or all but its status.
enum class WrittenPart : std::uint8_t { kObject, kStatus };

/// Builds the one object that a write sends, out of `values` (an object, or null for none) and
/// `yaml` (exactly one document). Both may be given: `yaml` is the base then.
///
/// - A kind, or the group of an apiVersion, that differs from the identity's is an error: it is an
///   object of another kind that was meant. The identity's version, name and namespace win over
///   what the text says, with a note where they differ.
/// - `values` without `spec`, for kinds that are known to keep their settings there, is wrapped:
///   {"replicas": 3} of a Deployment becomes {"spec": {"replicas": 3}}.
/// - `metadata.labels` and `metadata.annotations` of `values` are merged into those of the base,
///   other members of `values` replace those of the base.
/// - Of kStatus everything but the status is left out, with a note; `values` are not wrapped.
/// - `status` and metadata that only the server sets (managedFields, uid, resourceVersion, ...) are
///   left out, with a note.
///
/// Failure: invalid_argument. Pure.
Result<BuiltManifest> build_manifest(const ObjectIdentity& identity, const Json& values,
                                     std::optional<std::string_view> yaml,
                                     WrittenPart part = WrittenPart::kObject);

/// What a text that is written says of its kind must be what the arguments name: else
/// invalid_argument, which says so behind `source` ("values: "). Pure.
Result<void> check_kind(const ObjectIdentity& identity, const Json& text, std::string_view source);

/// Whether `values` without `spec` are taken for the contents of `spec`.
bool keeps_settings_in_spec(std::string_view group, std::string_view kind);

}  // namespace filecall::worker::kube
