// SPDX-License-Identifier: MIT
#include <unordered_map>
#include <vector>

#include "ipc/schema_rule.h"

namespace filecall {
namespace {

/// The rules that apply to one and the same value as `rule` does; through a member or an element
/// a circle ends with the value.
std::vector<const SchemaRule*> applied_with(const SchemaRule& rule) {
  std::vector<const SchemaRule*> out;
  if (rule.reference != nullptr) return {rule.reference};
  if (const CombinationRules* combination = rule.combination.get()) {
    for (const auto* list : {&combination->all_of, &combination->any_of, &combination->one_of}) {
      out.insert(out.end(), list->begin(), list->end());
    }
    for (const SchemaRule* one : {combination->if_holds, combination->then, combination->otherwise,
                                  combination->forbidden}) {
      if (one != nullptr) out.push_back(one);
    }
  }
  if (rule.object) {
    for (const auto& dependency : rule.object->dependencies) {
      if (dependency.rule != nullptr) out.push_back(dependency.rule);
    }
  }
  return out;
}

struct Visit {
  const SchemaRule* rule;
  std::vector<const SchemaRule*> left;
};

}  // namespace

bool has_circle(const CompiledSchema& schema) {
  enum class Mark { kOpen, kDone };
  std::unordered_map<const SchemaRule*, Mark> marks;
  std::vector<Visit> path;  // Not the call stack: a chain of references may be long.
  for (const auto& start : schema.rules) {
    if (!marks.try_emplace(start.get(), Mark::kOpen).second) continue;
    path.push_back({start.get(), applied_with(*start)});
    while (!path.empty()) {
      if (path.back().left.empty()) {
        marks[path.back().rule] = Mark::kDone;
        path.pop_back();
        continue;
      }
      const SchemaRule* next = path.back().left.back();
      path.back().left.pop_back();
      const auto [mark, is_new] = marks.try_emplace(next, Mark::kOpen);
      if (!is_new && mark->second == Mark::kOpen) return true;
      if (is_new) path.push_back({next, applied_with(*next)});
    }
  }
  return false;
}

}  // namespace filecall
