// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/places.h"

namespace filecall::worker::kube {

/// What the Secrets of one Helm release hold, to be found again among the values that the release
/// was given: there equality is enough, however short or common the value is. Pure; one thread.
class ReleaseSecrets {
 public:
  /// An object of the release: a Secret, a List that may have some, anything else.
  void learn(const Json& object);

  /// Whether a scalar is the value of a Secret (as it is, or its base64), or stands within one: a
  /// file, a URL. Truth values and null never; what has fewer than 4 characters only as a text that
  /// equals a whole value; within a longer word of a file only from 8 characters on.
  bool hold(const Json& scalar) const;

  /// Adds the scalars of `values` that the Secrets hold, at any depth, to what is hidden.
  void find(Json& values, Places& places) const;

 private:
  void add(std::string value);
  bool stands_within(std::string_view text) const;

  std::unordered_set<std::string> values_;
  std::vector<std::string> files_;  ///< Values that may have others within.
};

}  // namespace filecall::worker::kube
