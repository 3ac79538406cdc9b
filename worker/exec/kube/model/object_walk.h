// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::worker::kube {

struct ObjectKind;

/// Reading what a server sent: a member of the wrong type is simply not there. None throws. Pure.

/// The text of a member; "" for anything else.
std::string_view text_of(const Json& object, std::string_view member);
std::string_view kind_of(const Json& object);
/// The text of a member of `metadata`; "" for anything else.
std::string metadata_text(const Json& object, std::string_view member);

bool is_secret_kind(const ObjectKind& kind);
/// Whether the object is a Secret, by what was asked for or by what it says. A reference to one is
/// none: it has a kind and a name, and neither metadata nor data.
bool is_secret(const Json& object, bool is_asked_secret);
/// Whether the kinds of an API group are custom ones: a definition of the cluster says what they
/// hold.
bool is_custom_group(std::string_view group);
/// Whether a body only carries objects (a list, a table, a watch event) or speaks of one (Status).
bool is_envelope(const Json& body);
/// Whether a text is an object written as JSON.
bool is_object_text(const Json& text);

/// Calls `visit` with every text of a value, at any depth.
template <typename Visit>
void for_each_text(const Json& value, Visit visit) {
  if (value.is_string()) {
    visit(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (const Json& item : value) for_each_text(item, visit);
  }
}

}  // namespace filecall::worker::kube
