// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/field_path.h"

#include <fmt/format.h>

#include "ipc/strict_parser.h"

namespace filecall::worker::kube {

FieldPath::FieldPath(std::string_view text) {
  while (!text.empty()) {
    Step step;
    if (text.starts_with("[\"")) {
      const std::size_t end = text.find("\"]");
      step.key = text.substr(2, end - 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else {
      const std::size_t end = std::min(text.find_first_of(".["), text.size());
      step.key = text.substr(0, end);
      text.remove_prefix(end);
    }
    if (text.starts_with("[]")) {
      step.is_each = true;
      text.remove_prefix(2);
    }
    if (text.starts_with('.')) text.remove_prefix(1);
    steps_.push_back(std::move(step));
  }
}

bool FieldPath::may_be_in(const Json& root) const {
  const Json* value = &root;
  for (const Step& step : steps_) {
    if (!value->is_object()) return false;
    const auto member = value->find(step.key);
    if (member == value->end()) return false;
    if (step.is_each) return member->is_array();
    value = &*member;
  }
  return true;
}

void FieldPath::visit(const Json& root, const std::function<void(const FoundField&)>& visit) const {
  if (!may_be_in(root)) return;  // Most paths lead nowhere; the way to a place is written down.
  FoundField found;
  found.value = &root;
  found.parent = &root;
  walk(0, found, visit);
}

void FieldPath::walk(std::size_t step, FoundField& found,
                     const std::function<void(const FoundField&)>& visit) const {
  if (step == steps_.size()) return visit(found);
  if (!found.value->is_object()) return;
  const auto member = found.value->find(steps_[step].key);
  if (member == found.value->end()) return;
  const FoundField before = found;
  found.pointer += pointer_token(steps_[step].key);
  found.parent = before.value;
  found.value = &*member;
  if (!steps_[step].is_each) {
    walk(step + 1, found, visit);
  } else if (member->is_array()) {
    const std::string list = found.pointer;
    for (std::size_t i = 0; i < member->size(); ++i) {
      found.pointer = fmt::format("{}/{}", list, i);
      found.parent = &*member;
      found.value = &(*member)[i];
      found.indices.push_back(i);
      walk(step + 1, found, visit);
      found.indices.pop_back();
    }
  }
  found = before;
}

const Json* FieldPath::at(const Json& root, const std::vector<std::size_t>& indices) const {
  const Json* value = &root;
  std::size_t used = 0;
  for (const Step& step : steps_) {
    if (!value->is_object()) return nullptr;
    const auto member = value->find(step.key);
    if (member == value->end()) return nullptr;
    value = &*member;
    if (!step.is_each) continue;
    if (!value->is_array() || used >= indices.size() || indices[used] >= value->size()) {
      return nullptr;
    }
    value = &(*value)[indices[used++]];
  }
  return value;
}

}  // namespace filecall::worker::kube
