// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "ipc/json.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/secret_members.h"

namespace filecall::worker::kube {

/// Takes what is secret out of objects, in place, by the rules of Redactor. Pure; one thread.
class Masking {
 public:
  /// `redactor` must outlive it.
  explicit Masking(const Redactor& redactor) : redactor_(redactor) {}

  /// One object, or a body that holds some. `is_asked_secret`: it is a Secret by what was asked
  /// for.
  void object(Json& value, bool is_asked_secret);

 private:
  void text(Json& value);
  void settings(Json& value);
  void scrub(Json& value, Redactor::Texts texts);
  void hide_values(Json& object, const SecretValues& place);
  void secret(Json& object);
  void config_map(Json& object);
  void hide(Json& value);
  void metadata(Json& value, bool is_of_secret);
  /// Selectors must go on fitting: what a label is called says nothing of its value.
  void labels(Json& values);
  void annotations(Json& values, bool is_of_secret);
  void tree(std::string_view key, Json& value, bool is_asked_secret);
  void items(std::string_view key, Json& array);
  void members(std::string_view key, Json& object);
  /// What stands below a credential's name, at any depth.
  void group(std::string_view key, Json& value);
  /// "--token=X", and "--token" with its value in the next argument.
  void arguments(Json& array);

  const Redactor& redactor_;
};

}  // namespace filecall::worker::kube
