// SPDX-License-Identifier: MIT
#include <string>
#include <unordered_map>

#include "ipc/schema_words.h"

namespace filecall {
namespace {

/// Follows the rules that apply to one and the same value. A rule that leads back to itself that
/// way would be applied without end; through a member or an element it ends with the value.
class CircleSearch {
 public:
  explicit CircleSearch(const Json& root) : root_(root) {}

  bool search_all(const Json& node) {
    if (!node.is_structured()) return false;
    if (node.is_object() && is_in_circle(node)) return true;
    for (const Json& inner : node) {
      if (search_all(inner)) return true;
    }
    return false;
  }

 private:
  enum class Mark { kOpen, kDone };

  bool is_in_circle(const Json& schema) {
    const auto [mark, is_new] = marks_.try_emplace(&schema, Mark::kOpen);
    if (!is_new) return mark->second == Mark::kOpen;
    for (const auto& [keyword, rule] : schema.items()) {
      if (leads_into_circle(keyword, rule)) return true;
    }
    marks_[&schema] = Mark::kDone;
    return false;
  }

  bool leads_into_circle(const std::string& keyword, const Json& rule) {
    if (keyword == "$ref" && rule.is_string()) {
      const auto& text = rule.get_ref<const std::string&>();
      if (!text.starts_with("#")) return false;
      const Json::json_pointer pointer(text.substr(1));
      return root_.contains(pointer) && is_target_in_circle(root_.at(pointer));
    }
    if (keyword == "not" || keyword == "if" || keyword == "then" || keyword == "else") {
      return is_target_in_circle(rule);
    }
    const bool is_list = keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf";
    if (!(is_list || keyword == "dependencies") || !rule.is_structured()) return false;
    for (const Json& one : rule) {
      if (is_target_in_circle(one)) return true;
    }
    return false;
  }

  bool is_target_in_circle(const Json& target) {
    return target.is_object() && is_in_circle(target);
  }

  const Json& root_;
  std::unordered_map<const Json*, Mark> marks_;
};

}  // namespace

bool has_circle(const Json& schema) { return CircleSearch(schema).search_all(schema); }

}  // namespace filecall
