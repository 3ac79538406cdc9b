// SPDX-License-Identifier: MIT
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/json.h"

namespace filecall {

/// One mapping of a YAML document, read strictly: a key of the wrong type, out of range, unknown
/// or given twice is a complaint with file, line and column. Complaints gather, so that a person
/// sees all of them at once. Each reader leaves its output alone when the key is absent.
class YamlSection {
 public:
  /// Failure: the text is not YAML, or not a mapping.
  static Result<YamlSection> parse(const std::string& text, const std::string& file_name,
                                   std::vector<std::string>& complaints);

  void read(std::string_view key, std::string& out);
  void read(std::string_view key, bool& out);
  void read(std::string_view key, Duration& out);
  /// Only plain lists of strings.
  void read(std::string_view key, std::vector<std::string>& out);
  void read_string_map(std::string_view key, std::map<std::string, std::string>& out);
  void read_integer(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t& out);
  void read_number(std::string_view key, double min, double max, double& out);
  void read_bytes(std::string_view key, std::uint64_t min, std::uint64_t max, std::uint64_t& out);
  /// One of `names`; nullopt when absent or wrong.
  std::optional<std::string> read_choice(std::string_view key,
                                         const std::vector<std::string>& names);
  /// The value as JSON (a schema, say); null when absent.
  Json read_json(std::string_view key);
  /// Calls `read` with the mapping under `key`, then complains about its unknown keys.
  void section(std::string_view key, const std::function<void(YamlSection&)>& read);
  /// Calls `read` for every entry of the mapping of mappings under `key`.
  void each(std::string_view key,
            const std::function<void(const std::string& name, YamlSection&)>& read);
  /// Calls `read` for every entry of the list of mappings under `key`.
  void each_item(std::string_view key, const std::function<void(YamlSection&)>& read);
  /// The whole mapping; all of its keys count as read.
  Json take_all();
  /// Complains about keys that nobody asked for, naming those that exist.
  void finish();
  /// Who asks for a key knows it.
  bool has(std::string_view key) {
    known_.emplace(key);
    return find(key).IsDefined();
  }
  /// Whether somebody asked for it.
  bool knows(std::string_view key) const { return known_.contains(key); }
  /// Where the mapping begins; from 1.
  int line() const;
  /// Adds a complaint at the key's value (or at the section, when absent).
  void complain(std::string_view key, const std::string& reason);

 private:
  YamlSection(const YAML::Node& node, std::string path, std::string file_name,
              std::vector<std::string>& complaints);

  YAML::Node find(std::string_view key) const;
  YAML::Node take(std::string_view key);
  /// The scalar's text; nullopt (with a complaint) for anything else.
  std::optional<std::string> take_scalar(std::string_view key, const char* expected);
  void complain_at(const YAML::Node& node, const std::string& path, const std::string& reason);
  std::string path_of(std::string_view key) const;

  YAML::Node node_;
  std::string path_;
  std::string file_name_;
  std::vector<std::string>* complaints_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace filecall
