// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "yaml/yaml_document.h"

namespace filecall::client {

/// Where a value of a foreign configuration stands.
struct ConfigPlace {
  std::string file;
  int line = 1;
  std::string path;  ///< "tests[2].assert[0]"; empty: the whole file.
};

/// One file of it, or a part of a file that stands for itself: a line of JSON, a row of a table.
struct ConfigSource {
  std::string file;
  Json json;
  std::optional<YamlDocument> document{};  ///< Knows the lines.
  int line = 1;                            ///< Of a part, where it begins.
  std::string path{};                      ///< Before the pointers: "[3]" of a list of parts.
};

/// A value of a configuration that knows where it stands. Cheap to copy; immutable.
class ConfigNode {
 public:
  static ConfigNode of(ConfigSource source);
  /// Failures: YamlDocument's. JSON is YAML.
  static Result<ConfigNode> parse(const std::string& text, const std::string& file);

  const Json& json() const { return *value_; }
  ConfigPlace place() const;
  const std::string& file() const { return source_->file; }

  /// nullopt: no such member, or null.
  std::optional<ConfigNode> find(std::string_view key) const;
  /// Of a list; of anything else, none.
  std::vector<ConfigNode> items() const;
  /// Of a mapping; of anything else, none.
  std::vector<std::pair<std::string, ConfigNode>> members() const;
  /// A member's text; empty: there is none.
  std::string text(std::string_view key) const;
  /// "#/a/b" of the same file, where the mapping is nothing but that ($ref); else itself.
  ConfigNode resolved() const;

 private:
  ConfigNode(std::shared_ptr<const ConfigSource> source, const Json* value, std::string pointer)
      : source_(std::move(source)), value_(value), pointer_(std::move(pointer)) {}

  std::shared_ptr<const ConfigSource> source_;
  const Json* value_;
  std::string pointer_;
};

}  // namespace filecall::client
