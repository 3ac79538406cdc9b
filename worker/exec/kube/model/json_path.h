// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// The part of kubectl's JSONPath that names places of an object: `{.status.phase}`,
/// `.metadata.labels['a/b']`, `.items[0]`, `[*]`, `[?(@.type=="Ready")]`. Braces and the first dot
/// may be left out. Pure.
class JsonPath {
 public:
  /// Failure: invalid_argument, with what was not understood.
  static Result<JsonPath> parse(std::string_view text);
  /// The values that stand there, at most `found_max`; none where something is missing.
  std::vector<const Json*> find(const Json& root, std::size_t found_max = 1000) const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { kMember, kIndex, kEach, kWhere } kind = Kind::kMember;
    std::string key;        ///< Of kMember; of kWhere the member that is compared.
    std::string value;      ///< Of kWhere.
    std::size_t index = 0;  ///< Of kIndex; from the end where is_from_end.
    bool is_from_end = false;
  };
  static Result<Step> bracket_step(std::string_view inside);

  std::vector<Step> steps_;
};

/// A value as JSONPath prints it: texts as they are, everything else as JSON.
std::string printed(const Json& value);

}  // namespace filecall::worker::kube
