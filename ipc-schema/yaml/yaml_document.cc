// SPDX-License-Identifier: MIT
#include "yaml/yaml_document.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "yaml/yaml_scalar.h"

namespace filecall {
namespace {

constexpr std::size_t kValuesMax = 1'000'000;
constexpr int kNestingMax = 200;
constexpr std::string_view kMergeKey = "<<";

std::string token_of(std::string_view key) {
  std::string out;
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

class DocumentReader {
 public:
  DocumentReader(std::string file_name, std::map<std::string, int, std::less<>>& lines)
      : file_name_(std::move(file_name)), lines_(lines) {}

  Result<Json> read(const YAML::Node& node, const std::string& pointer, int depth) {
    if (++values_ > kValuesMax || depth > kNestingMax) {
      return fail(ErrorCode::kResourceExhausted,
                  fmt::format("{}: has more than {} values, or is nested more than {} times",
                              file_name_, kValuesMax, kNestingMax));
    }
    lines_.try_emplace(pointer, std::max(node.Mark().line, 0) + 1);
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        return scalar_to_json(node);
      case YAML::NodeType::Sequence:
        return read_list(node, pointer, depth);
      case YAML::NodeType::Map:
        return read_map(node, pointer, depth);
      default:
        return Json();
    }
  }

 private:
  Result<Json> read_list(const YAML::Node& node, const std::string& pointer, int depth) {
    Json list = Json::array();
    for (const auto& item : node) {
      const std::string at = fmt::format("{}/{}", pointer, list.size());
      TRY_ASSIGN(Json value, read(item, at, depth + 1));
      list.push_back(std::move(value));
    }
    return list;
  }

  Result<Json> read_map(const YAML::Node& node, const std::string& pointer, int depth) {
    Json object = Json::object();
    Json merged = Json::object();
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("{}:{}: a key must be a plain text", file_name_,
                                std::max(entry.first.Mark().line, 0) + 1));
      }
      const std::string& key = entry.first.Scalar();
      if (key == kMergeKey) continue;
      TRY_ASSIGN(object[key], read(entry.second, pointer + "/" + token_of(key), depth + 1));
    }
    // After its own keys, which have the lines.
    for (const auto& entry : node) {
      if (entry.first.Scalar() == kMergeKey) TRY(merge(entry.second, pointer, depth, merged));
    }
    for (auto& [key, value] : merged.items()) {
      if (!object.contains(key)) object[key] = std::move(value);
    }
    return object;
  }

  /// Of several maps, the first one that has a key tells.
  Result<void> merge(const YAML::Node& node, const std::string& pointer, int depth, Json& merged) {
    if (!node.IsSequence()) {
      TRY_ASSIGN(Json map, read(node, pointer, depth + 1));
      if (!map.is_object()) return {};
      for (auto& [key, value] : map.items()) {
        if (!merged.contains(key)) merged[key] = std::move(value);
      }
      return {};
    }
    for (const auto& one : node) {
      if (!one.IsSequence()) TRY(merge(one, pointer, depth + 1, merged));
    }
    return {};
  }

  std::string file_name_;
  std::map<std::string, int, std::less<>>& lines_;
  std::size_t values_ = 0;
};

bool is_bare(std::string_view text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '/' || c == '.';
  };
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  if (text == "true" || text == "false" || text == "null") return false;
  return std::all_of(text.begin(), text.end(), is_plain);
}

std::string scalar_text(const Json& value) {
  const bool is_plain = value.is_string() && is_bare(value.get_ref<const std::string&>());
  return is_plain ? value.get<std::string>() : dump_json(value);
}

void append_yaml(const Json& value, const std::string& indent, std::string& out) {
  const auto append_inner = [&](const Json& inner, const std::string& deeper) {
    if (inner.is_structured() && !inner.empty()) {
      out += "\n";
      append_yaml(inner, deeper, out);
    } else {
      out += " " + scalar_text(inner) + "\n";
    }
  };
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      out += indent + scalar_text(Json(key)) + ":";
      append_inner(inner, indent + "  ");
    }
    return;
  }
  for (const Json& inner : value) {
    if (!inner.is_object() || inner.empty()) {
      out += indent + "-";
      append_inner(inner, indent + "  ");
      continue;
    }
    const std::size_t begin = out.size();
    append_yaml(inner, indent + "  ", out);
    out[begin + indent.size()] = '-';
  }
}

}  // namespace

Result<YamlDocument> YamlDocument::parse(const std::string& text, const std::string& file_name) {
  YamlDocument document;
  try {  // yaml-cpp reports syntax errors by exception only.
    DocumentReader reader(file_name, document.lines_);
    TRY_ASSIGN(document.json_, reader.read(YAML::Load(text), "", 0));
    return document;
  } catch (const YAML::Exception& e) {
    return Unexpected(yaml_syntax_error(file_name, e));
  }
}

int YamlDocument::line_of(std::string_view pointer) const {
  for (;;) {
    if (const auto found = lines_.find(pointer); found != lines_.end()) return found->second;
    if (pointer.empty()) return 1;
    pointer = pointer.substr(0, pointer.rfind('/'));
  }
}

std::string yaml_text(const Json& value) {
  if (!value.is_structured() || value.empty()) return scalar_text(value) + "\n";
  std::string out;
  append_yaml(value, "", out);
  return out;
}

}  // namespace filecall
