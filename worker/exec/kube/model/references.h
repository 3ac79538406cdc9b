// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/istio_host.h"
#include "worker/exec/kube/model/reference_table.h"

namespace filecall::worker::kube {

/// Where the rules of a mesh that hold for all namespaces live, unless the mesh's configuration
/// says otherwise.
inline constexpr std::string_view kMeshRoot = "istio-system";

/// What one field of one object refers to, as far as the object alone tells.
struct Reference {
  /// In which namespaces the target is to be looked for.
  enum class Where : std::uint8_t {
    kNamespaces,  ///< In `namespaces` ("" stands for "has none").
    kAnywhere,    ///< In every namespace: it depends on other objects which.
  };
  const ReferenceRule* rule = nullptr;
  std::string path;               ///< JSON pointer of the field.
  std::vector<ObjectKind> kinds;  ///< One of these; empty: not known.
  std::string name;  ///< May hold '*' where is_pattern; empty: chosen by selector or host.
  bool is_pattern = false;
  Where where = Where::kNamespaces;
  std::vector<std::string> namespaces;
  Json namespace_selector;  ///< Labels that the namespace must have; null: none.
  Json selector;            ///< A LabelSelector; null: by name.
  std::optional<IstioHost> host;
  std::string subset;       ///< Of a DestinationRule for `host`.
  std::string uid;          ///< Of an owner; empty: unknown.
  std::string served_kind;  ///< Of the CustomResourceDefinition that serves it.
  std::string key;          ///< The one key used; empty: all.
  std::string hint;  ///< Of a possible one: what its field is called; then kinds are a guess.
  bool is_optional = false;
  bool is_one_reading = false;  ///< The field can be read in several ways; each is a reference.
  bool is_less_likely = false;  ///< Another reading of it is what people mean.
  bool is_controller = false;   ///< An owner that recreates what it controls.
  Severity severity = Severity::kInfo;  ///< For the source when the target goes.
};

/// Everything that an object refers to, in the order of the table; then, of a kind that the table
/// does not know, what it may refer to (possible_references.h). `kind` is what was asked for (items
/// of lists do not say theirs). A field of an unexpected type refers to nothing. `is_cut`, where it
/// is given, is set when it may refer to more than is looked at. Pure.
std::vector<Reference> references_of(const ReferenceTable& table, const ObjectKind& kind,
                                     const Json& object, bool* is_cut = nullptr);

/// As an answer shows it: {"path", "kind", "apiVersion"?, "name", "namespace"?, "selector"?,
/// "host"?, "subset"?, "key"?, "optional"?, "ambiguous"?, "possible"?}. Those that every object has
/// (its namespace, the definition of its kind) are left out, and so are equal ones.
Json references_json(const std::vector<Reference>& references);

}  // namespace filecall::worker::kube
