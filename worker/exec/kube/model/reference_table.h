// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/kube/model/effect_type.h"
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
  kTraefik,
  kPossible,  ///< By the looks of the field alone; no row says it.
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
  Severity target_deleted = Severity::kInfo;          ///< For the source when the target goes.
  Severity source_deleted = Severity::kInfo;          ///< For the target when the source goes.
  EffectType effect_type = EffectType::kNone;         ///< What happens to the source.
  EffectType source_effect_type = EffectType::kNone;  ///< What happens to the target.
  std::vector<FieldPath> everything_unless;  ///< Without all of these it selects everything.
  FieldPath remade_with;         ///< In the target: the source is made again while it is there.
  std::vector<FieldPath> parts;  ///< The source breaks with all of these, else it loses some.
  std::string effect;
  std::string source_effect;
  std::string timing;
};

/// What the deletion of an object of a kind means by itself.
struct DeletedKind {
  ObjectKind kind;
  Severity severity = Severity::kInfo;
  std::string effect;
  FieldPath when;                        ///< Must hold something; empty: counts always.
  std::string when_value;                ///< What it must hold; empty: anything but nothing.
  bool is_for_contents = false;          ///< Only when other objects go with it.
  bool is_for_targets = false;           ///< Only when it does something for other objects.
  bool is_void_when_idle = false;        ///< Not when it does nothing now.
  bool is_void_when_controlled = false;  ///< Not when a controller answers for it.
};

/// An object that a cluster depends on, whatever refers to it.
struct WellKnownObject {
  ObjectKind kind;
  std::vector<std::string> names;  ///< "ns/name" or "name"; '*' stands for anything.
  Severity severity = Severity::kInfo;
  std::string note;
};

/// The reference table: data, a row for each field (reference_table.json). Immutable after parse;
/// any thread.
class ReferenceTable {
 public:
  /// The table that is compiled in.
  static const ReferenceTable& builtin();
  /// Failure: invalid_argument naming the row.
  static Result<ReferenceTable> parse(const Json& table);

  /// The rules for objects of a kind, those for all kinds included.
  std::vector<const ReferenceRule*> rules_for(const ObjectKind& kind) const;
  const std::vector<DeletedKind>& deleted() const { return deleted_; }
  /// Null for an object that no cluster depends on.
  const WellKnownObject* well_known(const ObjectKind& kind, std::string_view ns,
                                    std::string_view name) const;
  const std::vector<ReferenceRule>& rules() const { return rules_; }
  /// Whether all that objects of the kind refer to is known: by rows, or because it is nothing.
  bool is_modelled(const ObjectKind& kind) const;
  /// Whether kinds of the group are known that refer to nothing, and no others.
  bool is_known_group(std::string_view group) const;
  /// What holds for references that are only possible.
  const ReferenceRule& possible() const { return possible_; }

 private:
  using Places = std::vector<std::size_t>;  ///< In rules_.

  std::vector<ReferenceRule> rules_;
  /// Of each kind that has rules of its own, those for all kinds among them.
  std::map<std::pair<std::string, std::string>, Places> rules_by_kind_;
  Places rules_for_all_;
  std::vector<DeletedKind> deleted_;
  std::vector<WellKnownObject> well_known_;
  std::set<std::string, std::less<>> modelled_groups_;
  std::set<std::string, std::less<>> without_references_;
  ReferenceRule possible_;
};

/// "apps/Deployment" and "Pod" of the table.
ObjectKind parse_kind(std::string_view text);
std::string kind_text(const ObjectKind& kind);

}  // namespace filecall::worker::kube
