// SPDX-License-Identifier: MIT
#include "client/agent/core/record_member.h"

namespace filecall::client {

const Json& value_at(const Json& object, std::string_view name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(std::string(name));
  return found == object.end() ? kNull : *found;
}

std::string text_at(const Json& object, std::string_view name) {
  const Json& value = value_at(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t number_at(const Json& object, std::string_view name, std::int64_t otherwise) {
  const Json& value = value_at(object, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

double real_at(const Json& object, std::string_view name) {
  const Json& value = value_at(object, name);
  return value.is_number() ? value.get<double>() : 0;
}

bool flag_at(const Json& object, std::string_view name, bool otherwise) {
  const Json& value = value_at(object, name);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

std::vector<std::string> texts_at(const Json& object, std::string_view name) {
  std::vector<std::string> out;
  const Json& list = value_at(object, name);
  if (!list.is_array()) return out;
  for (const Json& one : list) {
    if (one.is_string()) out.push_back(one.get<std::string>());
  }
  return out;
}

}  // namespace filecall::client
