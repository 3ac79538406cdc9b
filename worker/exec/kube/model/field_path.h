// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// One place that a path leads to.
struct FoundField {
  std::string pointer;               ///< JSON pointer from the root.
  const Json* value = nullptr;       ///< Never null.
  const Json* parent = nullptr;      ///< What holds it; never null.
  std::vector<std::size_t> indices;  ///< Of the lists that were walked, outermost first.
};

/// A path of the reference table: `spec.rules[].host`; `[]` walks a list, `["a/b"]` is a key that
/// holds dots or slashes. Pure.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::string_view text);

  bool is_empty() const { return steps_.empty(); }
  /// Calls `visit` for every place; a member that is missing or of another type ends that branch.
  void visit(const Json& root, const std::function<void(const FoundField&)>& visit) const;
  /// The one place with these indices; null when it is not there.
  const Json* at(const Json& root, const std::vector<std::size_t>& indices) const;

 private:
  struct Step {
    std::string key;
    bool is_each = false;
  };
  /// False: visit() finds no place; cheap.
  bool may_be_in(const Json& root) const;
  void walk(std::size_t step, FoundField& found,
            const std::function<void(const FoundField&)>& visit) const;

  std::vector<Step> steps_;
};

}  // namespace filecall::worker::kube
