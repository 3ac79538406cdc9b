// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/kube/model/field_path.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/severity.h"

namespace filecall::worker::kube {

/// How the value of a field says what it refers to; README.md has the list.
enum class ReferenceMatch : std::uint8_t {
  kName,
  kLabelValue,
  kSameName,
  kProduces,
  kSlashName,
  kWildcardName,
  kPattern,
  kImplied,
  kObject,
  kGrant,
  kOwner,
  kGroupKind,
  kSubject,
  kLabels,
  kSelector,
  kNodeSelector,
  kHost,
  kUrlHost,
  kIstioHost,
  kIstioSubset,
  kIstioGateway,
  kIstioCredential,
  kIstioPrincipal,
  kIstioSidecarHost,
  kIstioExport,
  kMeshProvider,
};

/// A condition or an exception: what stands at a path, on the same items of lists as the reference.
struct FieldEquals {
  FieldPath path;
  std::string value;
};

/// One row of the table, for one kind: a field that refers to other objects.
struct ReferenceRule {
  ObjectKind from;  ///< kind "*": every object.
  FieldPath path;
  FieldPath alias;           ///< Read where `path` leads nowhere; may be empty.
  std::string base_default;  ///< The name where neither is there; empty: no reference then.
  FieldPath base;            ///< What must be there for the default to count.
  std::vector<ObjectKind> to;
  ReferenceMatch match = ReferenceMatch::kName;
  std::string match_name;  ///< As the table calls it.
  std::string ns;          ///< Where the target is; README.md has the list.
  FieldPath ns_path;       ///< Of "field:<path>".
  std::map<std::string, std::string, std::less<>> fields;
  std::map<std::string, std::string, std::less<>> defaults;
  std::map<std::string, std::string, std::less<>> names;  ///< For kImplied: value to name.
  FieldPath optional;                                     ///< Says "may be missing".
  FieldPath key;                    ///< The one key that is used; empty: the whole object.
  std::optional<FieldEquals> when;  ///< Without it there is no reference.
  bool is_of_mesh = false;          ///< Counts only for a rule that the sidecars obey.
  std::vector<std::pair<FieldEquals, Severity>> severity_when;
  Severity target_deleted = Severity::kInfo;  ///< For the source when the target goes.
  Severity source_deleted = Severity::kInfo;  ///< For the target when the source goes.
  std::string effect;
  std::string source_effect;
  std::string timing;
};

/// What the deletion of an object of a kind means by itself.
struct DeletedKind {
  ObjectKind kind;
  Severity severity = Severity::kInfo;
  std::string effect;
};

/// The reference table: data, one row a field (reference_table.json). Immutable after parse; any
/// thread.
class ReferenceTable {
 public:
  /// The table that is compiled in.
  static const ReferenceTable& builtin();
  /// Failure: invalid_argument naming the row.
  static Result<ReferenceTable> parse(const Json& table);

  /// The rules for objects of a kind, those for all kinds included.
  std::vector<const ReferenceRule*> rules_for(const ObjectKind& kind) const;
  const DeletedKind* deleted(const ObjectKind& kind) const;
  /// What is said of an object that a cluster depends on ("" for all others).
  std::string_view well_known(const ObjectKind& kind, std::string_view ns,
                              std::string_view name) const;
  const std::vector<ReferenceRule>& rules() const { return rules_; }

 private:
  struct WellKnown {
    ObjectKind kind;
    std::vector<std::string> names;
    std::string note;
  };
  using Places = std::vector<std::size_t>;  ///< In rules_.

  std::vector<ReferenceRule> rules_;
  /// Of each kind that has rules of its own, those for all kinds among them.
  std::map<std::pair<std::string, std::string>, Places> rules_by_kind_;
  Places rules_for_all_;
  std::vector<DeletedKind> deleted_;
  std::vector<WellKnown> well_known_;
};

/// "apps/Deployment" and "Pod" of the table.
ObjectKind parse_kind(std::string_view text);
std::string kind_text(const ObjectKind& kind);

}  // namespace filecall::worker::kube
