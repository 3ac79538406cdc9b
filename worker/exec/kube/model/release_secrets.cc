// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/release_secrets.h"

#include <algorithm>
#include <utility>

#include "ipc/json_text.h"
#include "worker/exec/kube/model/hidden_values.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/secret_members.h"
#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

/// Shorter scalars (a port, a count, "yes") stand in every file.
constexpr std::size_t kFoundBytes = 4;
/// From here on a value is found inside a longer word.
constexpr std::size_t kAnywhereBytes = 8;

std::string_view without_blank_ends(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

bool is_word_char(char c) { return is_token_char(c) && c != '-' && c != '_'; }

bool stands_in(std::string_view file, std::string_view text) {
  for (std::size_t at = file.find(text); at != file.npos; at = file.find(text, at + 1)) {
    const std::size_t end = at + text.size();
    const bool is_begin = at == 0 || !is_word_char(file[at - 1]);
    const bool is_end = end == file.size() || !is_word_char(file[end]);
    if (text.size() >= kAnywhereBytes || (is_begin && is_end)) return true;
  }
  return false;
}

}  // namespace

void ReleaseSecrets::learn(const Json& object) {
  if (!object.is_object()) return;
  if (const auto items = object.find("items"); items != object.end() && items->is_array()) {
    for (const Json& item : *items) learn(item);
  }
  if (kind_of(object) != "Secret") return;
  for (const SecretValues& place : kSecretValues) {
    const auto values = object.find(place.member);
    if (values == object.end() || !values->is_object()) continue;
    for (const Json& value : *values) {
      if (place.is_encoded && value.is_string()) values_.insert(value.get<std::string>());
      add(secret_bytes(value, place.is_encoded));
    }
  }
}

void ReleaseSecrets::add(std::string value) {
  values_.emplace(without_blank_ends(value));
  if (value.size() > kFoundBytes) files_.push_back(std::move(value));
}

bool ReleaseSecrets::hold(const Json& scalar) const {
  if (!scalar.is_string() && !scalar.is_number()) return false;
  const std::string whole = scalar.is_string() ? scalar.get<std::string>() : dump_json(scalar);
  const std::string text(without_blank_ends(whole));
  if (text.empty() || (scalar.is_number() && text.size() < kFoundBytes)) return false;
  return values_.contains(text) || (text.size() >= kFoundBytes && stands_within(text));
}

bool ReleaseSecrets::stands_within(std::string_view text) const {
  // As it stands in a file in JSON.
  std::string escaped;
  append_json_string(escaped, text);
  const std::string_view quoted = std::string_view(escaped).substr(1, escaped.size() - 2);
  return std::ranges::any_of(files_, [&](const std::string& file) {
    return stands_in(file, text) || stands_in(file, quoted);
  });
}

void ReleaseSecrets::find(Json& values, Places& places) const {
  if (values_.empty()) return;
  if (values.is_structured()) {
    for (Json& value : values) find(value, places);
  } else if (hold(values)) {
    places.hidden.push_back({&values, Places::Mark::kText,
                             values.is_string() ? values.get<std::string>() : dump_json(values),
                             "value of a Secret of the release", values.is_number()});
  }
}

}  // namespace filecall::worker::kube
