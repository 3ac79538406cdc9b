// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "worker/exec/kube/model/reference_names.h"
#include "worker/exec/kube/model/reference_places.h"
#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {

/// Reads the references of one object, rule by rule (for references_of alone): what its fields say.
class ReferenceReading {
 public:
  /// Both must outlive the reading.
  ReferenceReading(const ObjectKind& kind, const Json& object);
  ReferenceReading(const ReferenceReading&) = delete;
  ReferenceReading& operator=(const ReferenceReading&) = delete;

  void rule(const ReferenceRule& rule);
  std::vector<Reference> take() { return places_.take(); }

 private:
  /// A rule without a selector is for all of its namespace, or of the mesh.
  void everything(const ReferenceRule& rule);
  bool is_for_sidecars() const;
  static bool holds(const FieldEquals& condition, const Json& object, const FoundField& found);
  Reference started(const FoundField& found) const;
  void field(const FoundField& found);
  void selector(const FoundField& found, Json selector, Reference& out);
  std::string text_field(const Json& value, std::string_view field) const;
  void object(const FoundField& found, Reference& out);
  /// The group that a reference gives, or that the table knows for the kind.
  std::string group_field(const Json& value, const std::string& kind) const;
  void owner(const FoundField& found, Reference& out);
  void subject(const FoundField& found, Reference& out);

  const Json& object_;
  ReferencePlaces places_;
  ReferenceNames names_;
  const ReferenceRule* rule_ = nullptr;
};

}  // namespace filecall::worker::kube
