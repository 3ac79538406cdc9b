// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace filecall::worker {

/// The header fields of a response in order of arrival, names in lower case.
class HttpHeaders {
 public:
  /// `name` in any case; surrounding blanks of the value are dropped.
  void add(std::string_view name, std::string_view value);
  /// The first value of a name given in lower case; nullopt without one.
  std::optional<std::string_view> find(std::string_view name) const;
  void clear() { fields_.clear(); }
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace filecall::worker
