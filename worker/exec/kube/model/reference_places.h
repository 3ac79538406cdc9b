// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {

/// The references that were found in one object, each with the namespaces in which its target may
/// be (for references_of alone).
class ReferencePlaces {
 public:
  /// Both must outlive it.
  ReferencePlaces(const ObjectKind& kind, const Json& object);

  /// The rule whose references are added from now on; it must outlive the next call.
  void begin(const ReferenceRule& rule) { rule_ = &rule; }
  const ReferenceRule& rule() const { return *rule_; }
  /// The object's own; empty for one of the whole cluster.
  const std::string& own_namespace() const { return ns_; }

  /// Adds a reference whose namespace the table's rule decides; `given`: what the field itself
  /// says.
  void place(const FoundField& found, Reference out, const std::string& given);
  void add(Reference out, std::string_view ns);
  void add_anywhere(Reference out);

  std::size_t size() const { return out_.size(); }
  std::vector<Reference> take() { return std::move(out_); }

 private:
  /// Beside the selector of pods stands one of namespaces, as in a NetworkPolicy; or names and such
  /// a selector, which add up, as in an affinity.
  void place_by_sibling(const FoundField& found, Reference out);
  /// As of Prometheus: {any: true} or {matchNames: [...]}, else the own namespace.
  void place_by_names(const FoundField& found, Reference out);

  const ObjectKind& kind_;
  const Json& object_;
  const std::string ns_;
  const ReferenceRule* rule_ = nullptr;
  std::vector<Reference> out_;
};

}  // namespace filecall::worker::kube
