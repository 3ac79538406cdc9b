// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// How much of an object an answer may show.
struct SanitizeLimits {
  std::size_t bytes_max = 64 * 1024;  ///< Of the object as JSON text; >= 1024.
  std::size_t text_bytes_max = 8192;  ///< Of one text, before anything must be cut for bytes_max.
  std::size_t items_max = 500;        ///< Of one list or mapping, likewise.
};

/// An object as an answer shows it.
struct Sanitized {
  Json manifest;
  /// What was cut to fit, in words: [{"path": "/spec/x", "cut": "kept 4 of 200 items"}]. Empty when
  /// everything is there. At most 100 entries; the last one says how many more there are.
  Json cut = Json::array();
};

/// An object without what only machines need: of `metadata` it keeps name, namespace, labels,
/// annotations, owners, finalizers and the times of creation and deletion (the age depends on when
/// one looks, the time does not, so that equal objects are shown equally); spec, status and all
/// other members stay. What is too long is cut, named in `cut`.
///
/// Takes a *redacted* object (redaction.h): it hides nothing itself. Pure.
Sanitized sanitize(Json redacted, const SanitizeLimits& limits = {});

/// Shortens any JSON value to the limits, appending to `cut` what is missing.
Json shortened(Json value, const SanitizeLimits& limits, Json& cut);

/// What a later write must find unchanged: {"uid", "resourceVersion"}, as far as they are there.
Json precondition_of(const Json& object);

}  // namespace filecall::worker::kube
