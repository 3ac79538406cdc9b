// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {

/// Reads the references of one object, rule by rule (for references_of alone). What a field says is
/// read in reference_reading.cc, names with a form of their own in reference_names.cc, and
/// reference_places.cc tells the namespaces in which the target may be.
class ReferenceReading {
 public:
  /// Both must outlive the reading.
  ReferenceReading(const ObjectKind& kind, const Json& object);

  void rule(const ReferenceRule& rule);
  std::vector<Reference> take() { return std::move(out_); }

 private:
  bool is_for_sidecars() const;
  static bool holds(const FieldEquals& condition, const Json& object, const FoundField& found);
  Reference started(const FoundField& found) const;
  void field(const FoundField& found);
  void named(const FoundField& found, const std::string& text, Reference& out);
  void selector(const FoundField& found, Json selector, Reference& out);
  std::string text_field(const Json& value, std::string_view field) const;
  void object(const FoundField& found, Reference& out);
  /// The group that a reference gives, or that the table knows for the kind.
  std::string group_field(const Json& value, const std::string& kind) const;
  void owner(const FoundField& found, Reference& out);
  void subject(const FoundField& found, Reference& out);
  void host(IstioHost host, Reference& out);
  void subset(const FoundField& found, const std::string& name, Reference& out);
  /// Names of Services that something other than Istio resolves: only those of the cluster count.
  void local_host(std::string_view text, Reference& out);
  void url_host(std::string_view url, Reference& out);
  void sidecar_host(std::string_view text, Reference& out);
  void gateway(std::string_view text, Reference& out);
  void credential(std::string_view text, Reference& out);
  /// "<trust domain>/ns/<namespace>/sa/<name>", perhaps with '*' at one end.
  void principal(std::string_view text, Reference& out);
  /// Adds a reference whose namespace the table's rule decides; `given`: what the field itself
  /// says.
  void place(const FoundField& found, Reference out, const std::string& given);
  /// A selector of namespaces stands beside the selector of pods.
  void place_by_sibling(const FoundField& found, Reference out);
  void add(Reference out, std::string_view ns);
  void add_anywhere(Reference out);

  const ObjectKind& kind_;
  const Json& object_;
  std::string ns_;
  const ReferenceRule* rule_ = nullptr;
  std::vector<Reference> out_;
};

}  // namespace filecall::worker::kube
