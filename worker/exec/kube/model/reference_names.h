// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "worker/exec/kube/model/reference_places.h"

namespace filecall::worker::kube {

/// Reads references that are given by a name, many of which have a form of their own: hosts, URLs,
/// principals (for references_of alone).
class ReferenceNames {
 public:
  /// Both must outlive it.
  ReferenceNames(const Json& object, ReferencePlaces& places) : object_(object), places_(places) {}

  /// Adds what `text` names by the rule that `places` has begun, if anything, to `out`'s start.
  void read(const FoundField& found, const std::string& text, Reference out);

 private:
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

  /// A name, or a list of names with the provider that has them: "shop-auth@kubernetescrd,x@file".
  void traefik(const FoundField& found, std::string_view text, const Reference& out);

  const Json& object_;
  ReferencePlaces& places_;
};

}  // namespace filecall::worker::kube
