// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"
#include "worker/exec/kube/model/known_values.h"

namespace filecall::worker::kube {

/// Remembers which values of the objects of an exchange are secret, by their place. Pure; one
/// thread.
class Learning {
 public:
  /// `known` must outlive it.
  explicit Learning(KnownValues& known) : known_(known) {}

  /// One object, or a body that holds some. `is_asked_secret`: it is a Secret by what was asked
  /// for.
  void object(const Json& value, bool is_asked_secret);

 private:
  void secret(const Json& object);
  void text(const Json& value);
  /// The texts of a value that is JSON itself (docker's configuration): each may be repeated alone.
  void inner_texts(const std::string& bytes);
  /// A JSON text as deep as a body may be; null for anything else.
  static Json read(std::string_view text);
  void tree(std::string_view key, const Json& value, bool is_in_secret);

  KnownValues& known_;
};

}  // namespace filecall::worker::kube
