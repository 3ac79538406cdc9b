// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/learning.h"

#include <utility>

#include "ipc/json_discard.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/hidden_values.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/secret_members.h"

namespace filecall::worker::kube {
namespace {

/// Shorter values under a credential's name are as often "true" as a password: hidden where they
/// stand, not searched for elsewhere.
constexpr std::size_t kLearnedBytes = 8;

}  // namespace

void Learning::object(const Json& value, bool is_asked_secret) {
  const bool is_in_secret = is_secret(value, is_asked_secret);
  if (is_in_secret) secret(value);
  tree("", value, is_in_secret);
  if (!value.is_object()) return;
  for_each_hidden_cell(value, [this](const Json& cell) { text(cell); });
}

void Learning::secret(const Json& object) {
  const std::string name = metadata_text(object, "name");
  const std::string space = metadata_text(object, "namespace");
  for (const auto& [member, is_encoded] : kSecretValues) {
    const auto values = object.find(member);
    if (values == object.end()) continue;
    if (!values->is_object()) {
      known_.add(secret_bytes(*values, false));
      continue;
    }
    for (const auto& [key, value] : values->items()) {
      const std::string bytes = secret_bytes(value, is_encoded);
      // What every object shows of itself cannot be hidden, and need not (a token's Secret
      // repeats its namespace).
      if (bytes == name || bytes == space) continue;
      known_.add(bytes);
      inner_texts(bytes);
    }
  }
}

void Learning::text(const Json& value) {
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() >= kLearnedBytes) known_.add(text);
}

void Learning::inner_texts(const std::string& bytes) {
  if (!bytes.starts_with('{')) return;
  for_each_text(read(bytes), [&](const std::string& text) {
    if (text.size() >= kLearnedBytes) known_.add(text);
  });
}

Json Learning::read(std::string_view text) {
  auto parsed = parse_strict(text, limits::kDepth, Strictness::kForeign, "value");
  return parsed ? *std::move(parsed) : Json();
}

void Learning::tree(std::string_view key, const Json& value, bool is_in_secret) {
  if (value.is_string()) {
    if (is_hidden_member(key, value, NamePlace::kMember)) text(value);
    // A copy is taken out. What it holds may stand elsewhere all the same, and need not be what
    // its object holds now; the copy of a Secret does not always say that it is one.
    if (is_copy_annotation(key) || is_object_text(value)) {
      Json copy = read(value.get_ref<const std::string&>());
      object(copy, is_in_secret);
      discard(copy);
    }
  } else if (value.is_array()) {
    for (const Json& item : value) tree(key, item, is_in_secret);
  } else if (const auto* members = value.get_ptr<const Json::object_t*>()) {
    if (const Json* hidden = hidden_pair_value(value)) text(*hidden);
    for (const auto& [name, item] : *members) {
      // managedFields name fields and hold no values; they are as long as the rest.
      if (is_label_member(name) || (key == "metadata" && name == "managedFields")) continue;
      const bool is_inner_secret = is_secret(item, false);
      if (is_inner_secret) secret(item);
      tree(name, item, is_in_secret || is_inner_secret);
    }
  }
}

}  // namespace filecall::worker::kube
