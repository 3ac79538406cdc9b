// SPDX-License-Identifier: MIT
#include "yaml/yaml_section.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/duration.h"
#include "yaml/yaml_scalar.h"

namespace filecall {
namespace {

template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || rest != end) return std::nullopt;
  return value;
}

Json to_json(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return scalar_to_json(node);
    case YAML::NodeType::Sequence: {
      Json list = Json::array();
      for (const auto& item : node) list.push_back(to_json(item));
      return list;
    }
    case YAML::NodeType::Map: {
      Json object = Json::object();
      for (const auto& entry : node) object[entry.first.Scalar()] = to_json(entry.second);
      return object;
    }
    default:
      return nullptr;
  }
}

}  // namespace

YamlSection::YamlSection(const YAML::Node& node, std::string path, std::string file_name,
                         std::vector<std::string>& complaints)
    : node_(node),
      path_(std::move(path)),
      file_name_(std::move(file_name)),
      complaints_(&complaints) {
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) {
      complain_at(entry.first, path_, "a key must be a plain text");
    } else if (!seen.insert(entry.first.Scalar()).second) {
      complain_at(entry.first, path_of(entry.first.Scalar()), "given twice");
    }
  }
}

Result<YamlSection> YamlSection::parse(const std::string& text, const std::string& file_name,
                                       std::vector<std::string>& complaints) {
  try {  // yaml-cpp reports syntax errors by exception only.
    YAML::Node node = YAML::Load(text);
    if (node.IsNull()) node = YAML::Node(YAML::NodeType::Map);
    if (!node.IsMap()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:1:1: must be a mapping (key: value)", file_name));
    }
    return YamlSection(node, "", file_name, complaints);
  } catch (const YAML::Exception& e) {
    return Unexpected(yaml_syntax_error(file_name, e));
  }
}

std::string YamlSection::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void YamlSection::complain_at(const YAML::Node& node, const std::string& path,
                              const std::string& reason) {
  const YAML::Mark mark = node.Mark();
  complaints_->push_back(fmt::format("{}:{}:{}: {}: {}", file_name_, std::max(mark.line, 0) + 1,
                                     std::max(mark.column, 0) + 1, path, reason));
}

void YamlSection::complain(std::string_view key, const std::string& reason) {
  const YAML::Node value = find(key);
  complain_at(value.IsDefined() ? value : node_, path_of(key), reason);
}

int YamlSection::line() const { return std::max(node_.Mark().line, 0) + 1; }

YAML::Node YamlSection::find(std::string_view key) const {
  // By hand: operator[] on a non-const node would insert the key.
  for (const auto& entry : node_) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

YAML::Node YamlSection::take(std::string_view key) {
  known_.emplace(key);
  return find(key);
}

std::optional<std::string> YamlSection::take_scalar(std::string_view key, const char* expected) {
  const YAML::Node value = take(key);
  if (!value.IsDefined()) return std::nullopt;
  if (value.IsScalar()) return value.Scalar();
  complain(key, fmt::format("must be {}", expected));
  return std::nullopt;
}

void YamlSection::read(std::string_view key, std::string& out) {
  if (auto text = take_scalar(key, "a text")) out = std::move(*text);
}

void YamlSection::read(std::string_view key, bool& out) {
  const auto text = take_scalar(key, "true or false");
  if (!text) return;
  if (*text != "true" && *text != "false") return complain(key, "must be true or false");
  out = *text == "true";
}

void YamlSection::read(std::string_view key, Duration& out) {
  const auto text = take_scalar(key, "a duration such as 250ms, 10s, 5m");
  if (!text) return;
  const auto duration = parse_duration(*text);
  if (!duration) return complain(key, duration.error().message);
  out = *duration;
}

void YamlSection::read(std::string_view key, std::vector<std::string>& out) {
  const YAML::Node list = take(key);
  if (!list.IsDefined()) return;
  if (!list.IsSequence()) return complain(key, "must be a list of texts, e.g. [a, b]");
  std::vector<std::string> texts;
  for (const auto& item : list) {
    if (!item.IsScalar()) return complain_at(item, path_of(key), "must be a text");
    texts.push_back(item.Scalar());
  }
  out = std::move(texts);
}

void YamlSection::read_string_map(std::string_view key, std::map<std::string, std::string>& out) {
  const YAML::Node map = take(key);
  if (!map.IsDefined()) return;
  if (!map.IsMap()) return complain(key, "must be a mapping of texts, e.g. {NAME: value}");
  for (const auto& entry : map) {
    if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
      return complain_at(entry.first, path_of(key), "names and values must be texts");
    }
    out[entry.first.Scalar()] = entry.second.Scalar();
  }
}

void YamlSection::read_integer(std::string_view key, std::int64_t min, std::int64_t max,
                               std::int64_t& out) {
  const auto text = take_scalar(key, "a whole number");
  if (!text) return;
  const auto value = parse_number<std::int64_t>(*text);
  if (!value || *value < min || *value > max) {
    return complain(key, fmt::format("must be a whole number from {} to {}", min, max));
  }
  out = *value;
}

void YamlSection::read_number(std::string_view key, double min, double max, double& out) {
  const auto text = take_scalar(key, "a number");
  if (!text) return;
  const auto value = parse_number<double>(*text);
  if (!value || !(*value >= min && *value <= max)) {
    return complain(key, fmt::format("must be a number from {} to {}", min, max));
  }
  out = *value;
}

void YamlSection::read_bytes(std::string_view key, std::uint64_t min, std::uint64_t max,
                             std::uint64_t& out) {
  const auto text = take_scalar(key, "a size such as 64KiB, 16MiB");
  if (!text) return;
  const auto value = parse_bytes(*text);
  if (!value) return complain(key, value.error().message);
  if (*value < min || *value > max) {
    return complain(key, fmt::format("must be from {} to {} bytes", min, max));
  }
  out = *value;
}

std::optional<std::string> YamlSection::read_choice(std::string_view key,
                                                    const std::vector<std::string>& names) {
  auto text = take_scalar(key, "a text");
  if (!text) return std::nullopt;
  if (std::find(names.begin(), names.end(), *text) != names.end()) return text;
  complain(key, fmt::format("must be one of: {}", fmt::join(names, ", ")));
  return std::nullopt;
}

Json YamlSection::read_json(std::string_view key) {
  const YAML::Node value = take(key);
  return value.IsDefined() ? to_json(value) : Json();
}

void YamlSection::section(std::string_view key, const std::function<void(YamlSection&)>& read) {
  const YAML::Node value = take(key);
  if (!value.IsDefined() || value.IsNull()) return;
  if (!value.IsMap()) return complain(key, "must be a mapping (key: value)");
  YamlSection inner(value, path_of(key), file_name_, *complaints_);
  read(inner);
  inner.finish();
}

void YamlSection::each(std::string_view key,
                       const std::function<void(const std::string&, YamlSection&)>& read) {
  const YAML::Node value = take(key);
  if (!value.IsDefined() || value.IsNull()) return;
  if (!value.IsMap()) return complain(key, "must be a mapping (name: settings)");
  for (const auto& entry : value) {
    if (!entry.first.IsScalar()) continue;  // Complained about by the constructor's sibling.
    const std::string name = entry.first.Scalar();
    if (!entry.second.IsMap()) {
      complain_at(entry.second, path_of(key) + "." + name, "must be a mapping (key: value)");
      continue;
    }
    YamlSection inner(entry.second, path_of(key) + "." + name, file_name_, *complaints_);
    read(name, inner);
    inner.finish();
  }
}

void YamlSection::each_item(std::string_view key, const std::function<void(YamlSection&)>& read) {
  const YAML::Node list = take(key);
  if (!list.IsDefined() || list.IsNull()) return;
  if (!list.IsSequence()) return complain(key, "must be a list of mappings (- key: value)");
  int index = 0;
  for (const auto& item : list) {
    const std::string path = fmt::format("{}[{}]", path_of(key), index++);
    if (!item.IsMap()) {
      complain_at(item, path, "must be a mapping (key: value)");
      continue;
    }
    YamlSection inner(item, path, file_name_, *complaints_);
    read(inner);
    inner.finish();
  }
}

Json YamlSection::take_all() {
  for (const auto& entry : node_) {
    if (entry.first.IsScalar()) known_.insert(entry.first.Scalar());
  }
  return to_json(node_);
}

void YamlSection::finish() {
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar() || known_.contains(entry.first.Scalar())) continue;
    complain_at(entry.first, path_of(entry.first.Scalar()),
                fmt::format("unknown key; known here: {}", fmt::join(known_, ", ")));
  }
}

}  // namespace filecall
