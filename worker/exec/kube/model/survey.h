// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/places.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/redaction_rules.h"
#include "worker/exec/kube/model/secret_members.h"

namespace filecall::worker::kube {

/// Walks a body once and finds for every text what it is by its place, by the rules of Redactor.
/// Takes out what is never shown (managedFields, copies of the object, members that a Secret does
/// not have); everything else stays for the one who reads the Places. Pure; one thread.
class Survey {
 public:
  /// Both must outlive it.
  explicit Survey(Places& places, const RedactionRules& rules = RedactionRules::none())
      : places_(places), rules_(rules) {}

  /// A single object, a list (typed ones, whose items do not say their kind, and `List`), a table,
  /// a watch event, a Status. `asked` is the kind that was asked for.
  void body(Json& body, const ObjectKind& asked);

 private:
  /// `kind`: what it is where it does not say so itself.
  void object(Json& value, std::string_view kind, bool is_asked_secret);
  void table(Json& body, std::string_view kind, bool is_asked_secret);
  void cells(Json& row, const std::vector<bool>& is_hidden);
  void secret(Json& object);
  void secret_values(Json& object, const SecretValues& place);
  void config_map(Json& object);
  void metadata(Json& value, bool is_of_secret);
  void labels(Json& values, bool is_of_secret);
  void annotations(Json& values, bool is_of_secret);
  void tree(std::string_view key, Json& value);
  void members(std::string_view key, Json& object, std::string_view kind);
  void list_items(Json& items, std::string_view list_kind);
  /// What stands below a credential's name, at any depth.
  void group(std::string_view name, Json& value);
  /// "--token=X", and "--token" with its value in the next argument.
  void arguments(Json& array);
  /// A copy of an object, as JSON in a text: its values may stand elsewhere, and need not be what
  /// the object holds now. The copy of a Secret does not always say that it is one.
  void copy(const Json& text, bool is_of_secret);

  /// A text of settings, which may be a file in JSON.
  void settings(Json& value);
  void text(Json& value, TextUse use, bool is_identifier = false);
  void hide(Json& value, std::string why);
  /// A number under a password's name.
  void number(std::string_view name, Json& value);
  void hide_named(Json& value, std::string_view what, std::string_view name, NamePlace place);

  Places& places_;
  const RedactionRules& rules_;
};

}  // namespace filecall::worker::kube
