// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/kube/model/json_path.h"

namespace filecall::worker::kube {

/// What kube.wait waits for, written as after `kubectl wait --for=`: `create`, `delete`,
/// `condition=Ready`, `condition=Ready=False`, `jsonpath={.status.phase}=Running`,
/// `jsonpath={.status.loadBalancer.ingress}` (anything there).
struct WaitCondition {
  enum class Kind : std::uint8_t { kCreate, kDelete, kCondition, kJsonPath } kind = Kind::kCreate;
  std::string type;   ///< Of kCondition.
  std::string value;  ///< What must stand there.
  bool has_value = false;
  JsonPath path{};
};

/// Failure: invalid_argument. Pure.
Result<WaitCondition> parse_wait(std::string_view text);

/// What one object shows of a condition.
struct WaitView {
  bool is_met = false;
  std::string seen;  ///< In words: what stands there now.
  /// The value is a secret: nobody will see it become what is waited for.
  bool is_hidden = false;
};

/// `object`: redacted; null: it is not there. A condition of an older generation than the object's
/// does not count, as kubectl has it. Pure.
WaitView view_of(const WaitCondition& condition, const Json& object);

}  // namespace filecall::worker::kube
