// SPDX-License-Identifier: MIT
#include "tests/support/llm_endpoint/script.h"

#include <cstdlib>

namespace endpoint {

Script Script::parse(std::string_view model) {
  Script script;
  auto end = model.find(';');
  script.model_ = model.substr(0, end);
  while (end != std::string_view::npos) {
    model.remove_prefix(end + 1);
    end = model.find(';');
    const std::string_view part = model.substr(0, end);
    const auto equals = part.find('=');
    if (equals != std::string_view::npos) {
      script.values_[std::string(part.substr(0, equals))] = part.substr(equals + 1);
    }
  }
  return script;
}

const std::string& Script::get(const std::string& key) const {
  static const std::string kNone;
  const auto found = values_.find(key);
  return found == values_.end() ? kNone : found->second;
}

long Script::number(const std::string& key, long fallback) const {
  const std::string& text = get(key);
  return text.empty() ? fallback : std::strtol(text.c_str(), nullptr, 10);
}

}  // namespace endpoint
