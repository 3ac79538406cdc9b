// SPDX-License-Identifier: MIT
#include "client/promptfoo/config_node.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/eval/subject.h"

namespace filecall::client {
namespace {

std::string pointer_of_key(std::string_view key) {
  std::string out = "/";
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

/// "/tests/2/assert" is "tests[2].assert".
std::string readable(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const bool is_index = !token.empty() && token.find_first_not_of("0123456789") == token.npos;
    out +=
        is_index ? fmt::format("[{}]", token) : fmt::format("{}{}", out.empty() ? "" : ".", token);
  }
  return out;
}

}  // namespace

ConfigNode ConfigNode::of(ConfigSource source) {
  auto kept = std::make_shared<const ConfigSource>(std::move(source));
  const Json* json = kept->document ? &kept->document->json() : &kept->json;
  return {std::move(kept), json, ""};
}

Result<ConfigNode> ConfigNode::parse(const std::string& text, const std::string& file) {
  TRY_ASSIGN(YamlDocument document, YamlDocument::parse(text, file));
  return of({.file = file, .json = {}, .document = std::move(document)});
}

ConfigPlace ConfigNode::place() const {
  const int line = source_->document ? source_->document->line_of(pointer_) : source_->line;
  std::string inner = readable(pointer_);
  if (!source_->path.empty() && !inner.empty() && inner.front() != '[') inner = "." + inner;
  return {source_->file, line, source_->path + inner};
}

std::optional<ConfigNode> ConfigNode::find(std::string_view key) const {
  if (!value_->is_object()) return std::nullopt;
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return ConfigNode(source_, &*found, pointer_ + pointer_of_key(key));
}

std::vector<ConfigNode> ConfigNode::items() const {
  std::vector<ConfigNode> items;
  if (!value_->is_array()) return items;
  for (const Json& one : *value_) {
    items.push_back(ConfigNode(source_, &one, fmt::format("{}/{}", pointer_, items.size())));
  }
  return items;
}

std::vector<std::pair<std::string, ConfigNode>> ConfigNode::members() const {
  std::vector<std::pair<std::string, ConfigNode>> members;
  if (!value_->is_object()) return members;
  for (const auto& [key, value] : value_->items()) {
    members.emplace_back(key, ConfigNode(source_, &value, pointer_ + pointer_of_key(key)));
  }
  return members;
}

std::string ConfigNode::text(std::string_view key) const {
  const auto member = find(key);
  return member && member->json().is_string() ? member->json().get<std::string>() : std::string();
}

ConfigNode ConfigNode::resolved() const {
  const std::string reference = text("$ref");
  if (!reference.starts_with("#/")) return *this;
  const Json& root = source_->document ? source_->document->json() : source_->json;
  const std::string pointer = reference.substr(1);
  const Json* found = find_at(root, pointer);
  return found == nullptr ? *this : ConfigNode(source_, found, pointer);
}

}  // namespace filecall::client
