// SPDX-License-Identifier: MIT
#include "ipc/json_discard.h"

namespace filecall {
namespace {

void empty(Json& value) {
  if (auto* object = value.get_ptr<Json::object_t*>()) {
    for (auto& [key, member] : *object) empty(member);
    object->clear();
  } else if (auto* array = value.get_ptr<Json::array_t*>()) {
    for (Json& element : *array) empty(element);
    array->clear();
  }
}

}  // namespace

void discard(Json& value) {
  empty(value);
  value = nullptr;
}

}  // namespace filecall
