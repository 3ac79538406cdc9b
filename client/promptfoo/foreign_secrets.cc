// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_secrets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/credential_words.h"
#include "base/token_formats.h"

namespace filecall::client {
namespace {

namespace words = credential_words;

/// As the last word, beside those of every name.
constexpr std::array kReferences = words::with(
    words::kReferenceWords, std::to_array<std::string_view>({"env", "envar", "id", "ids"}));
/// Params of models, beside those of every name.
constexpr std::array kModelParams = words::with(
    words::kModelWords,
    std::to_array<std::string_view>({"bad", "banned", "allowed", "ids", "budget", "special",
                                     "forced", "suppress", "output", "input"}));
constexpr std::string_view kSecretHeaders[] = {
    "authorization:", "x-api-key:", "cookie:", "api-key:"};
/// Below these, names are those of a schema's properties and definitions.
constexpr std::string_view kDeclarations[] = {
    "properties",   "patternProperties", "$defs", "definitions", "dependentSchemas",
    "dependencies", "dependentRequired"};
constexpr std::string_view kKeyParameters[] = {"key", "sig", "code", "signature"};
constexpr std::size_t kKeyBytesMin = 16;

template <typename Words>
bool is_in(const Words& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

char lower_of(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lower_text(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_of(c);
  return lower;
}

/// "x-apiKey" and "X_API_KEY": x, api, key.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool begins =
        std::isupper(c) != 0 && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if ((begins || std::isalnum(c) == 0) && !words.back().empty()) words.emplace_back();
    if (std::isalnum(c) != 0) words.back() += lower_of(name[i]);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_secret_word(std::string_view word) {
  return is_in(words::kWords, word) || is_in(words::kSettingWords, word) ||
         std::any_of(words::kGluedWords.begin(), words::kGluedWords.end(),
                     [&](std::string_view end) { return word.ends_with(end); });
}

/// Whether a name without its gaps ("apikey", "ocpapimsubscriptionkey") has a word that means
/// nothing else; a short one may be a part of another.
bool says_secret(std::string_view joined) {
  constexpr std::size_t kLongWord = 6;
  const auto has = [&](std::string_view word) { return joined.find(word) != joined.npos; };
  const auto has_long = [&](std::string_view word) {
    return word.size() >= kLongWord && word != "tokens" && has(word);
  };
  const auto has_key_of = [&](std::string_view owner) { return has(std::string(owner) + "key"); };
  return std::any_of(words::kWords.begin(), words::kWords.end(), has_long) ||
         std::any_of(words::kInsideWords.begin(), words::kInsideWords.end(), has) ||
         std::any_of(words::kKeyOwners.begin(), words::kKeyOwners.end(), has_key_of) ||
         has(words::kSecretWords.front());
}

/// Whether people choose it, so that a number is one as well.
bool is_chosen_name(std::string_view name) {
  const std::string lower = lower_text(name);
  return lower.find("pass") != lower.npos || lower.find("pwd") != lower.npos;
}

/// A token of a well-known maker, or enough of one.
bool is_known_token(std::string_view text) {
  return std::any_of(kTokenFormats.begin(), kTokenFormats.end(), [&](const TokenFormat& format) {
    if (!text.starts_with(format.beginning)) return false;
    const std::string_view rest = text.substr(format.beginning.size());
    // Without a digit it is a name that only begins alike.
    return rest.size() >= std::min(format.rest_min, kKeyBytesMin) &&
           rest.find_first_of("0123456789") != rest.npos &&
           rest.find_first_of(" \t\r\n") == rest.npos;
  });
}

/// By its looks, whatever its name is.
bool is_secret_text(std::string_view text) {
  const std::string lower = lower_text(text);
  for (const std::string_view header : kSecretHeaders) {
    if (lower.starts_with(header)) return true;
  }
  for (const std::string_view scheme : {"bearer ", "basic "}) {
    if (lower.starts_with(scheme) && lower.find(' ', scheme.size()) == lower.npos) {
      return lower.size() > scheme.size();
    }
  }
  if (text.size() < kKeyBytesMin) return false;
  return text.starts_with(words::kWebTokenBeginning) || text.starts_with(words::kPemBeginning) ||
         is_known_token(text);
}

bool is_secret_value(std::string_view name, const Json& value) {
  if (value.is_number()) return is_chosen_name(name);
  if (value.is_array()) {
    return std::any_of(value.begin(), value.end(),
                       [&](const Json& one) { return is_secret_value(name, one); });
  }
  return (value.is_string() || value.is_object()) && !value.empty() && value != "";
}

/// Where the user and the password of an address end; `rest` begins behind "://". A password may
/// hold what ends a host: then what stands behind the colon is no port.
std::size_t user_end(std::string_view rest) {
  const std::size_t host_end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view host = rest.substr(0, host_end);
  if (const auto at = host.rfind('@'); at != host.npos) return at + 1;
  const auto colon = host.starts_with('[') ? host.npos : host.find(':');
  if (colon == host.npos) return 0;
  const bool is_port = host.find_first_not_of("0123456789", colon + 1) == host.npos;
  const auto at = rest.rfind('@');
  return is_port || at == rest.npos ? 0 : at + 1;
}

std::string without_key_parameters(std::string_view address) {
  const std::size_t begin = address.find('?');
  if (begin == address.npos) return std::string(address);
  const std::size_t end = std::min(address.find('#', begin), address.size());
  std::string kept;
  std::string_view query = address.substr(begin + 1, end - begin - 1);
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    const std::string_view name = one.substr(0, one.find('='));
    if (is_secret_name(name) || is_in(kKeyParameters, name)) continue;
    kept.append(kept.empty() ? "?" : "&").append(one);
  }
  return std::string(address.substr(0, begin)) + kept + std::string(address.substr(end));
}

class SecretCleaner {
 public:
  Json clean(const Json& value, const std::string& path, bool is_declaration) {
    if (value.is_string()) return clean_text(value, path);
    if (value.is_array()) return clean_list(value, path);
    if (!value.is_object()) return value;
    Json kept = Json::object();
    const bool is_named_value = names_secret(value);
    for (const auto& [name, inner] : value.items()) {
      const std::string at = fmt::format("{}.{}", path, name);
      const bool is_declared = is_declaration && !inner.is_primitive();
      const bool is_secret =
          (!is_declared && is_secret_name(name)) || (is_named_value && name == "value");
      if (is_secret && is_secret_value(is_named_value ? "password" : name, inner)) {
        left_out_.push_back(at);
        continue;
      }
      Json cleaned = clean(inner, at, is_in(kDeclarations, name) && !is_declaration);
      if (!cleaned.is_discarded()) kept[name] = std::move(cleaned);
    }
    return kept;
  }
  std::vector<std::string> left_out() && { return std::move(left_out_); }

 private:
  /// {name: Authorization, value: ...}
  static bool names_secret(const Json& value) {
    for (const char* key : {"name", "key", "header"}) {
      const auto found = value.find(key);
      if (found != value.end() && found->is_string() &&
          is_secret_name(found->get_ref<const std::string&>())) {
        return true;
      }
    }
    return false;
  }

  /// Discarded: all of it is a secret.
  Json clean_text(const Json& value, const std::string& path) {
    const auto& text = value.get_ref<const std::string&>();
    std::string kept = without_address_secrets(text);
    const bool is_secret = is_secret_text(text);
    if (is_secret || kept != text) left_out_.push_back(path);
    return is_secret ? Json(Json::value_t::discarded) : Json(std::move(kept));
  }

  Json clean_list(const Json& value, const std::string& path) {
    Json kept = Json::array();
    for (std::size_t i = 0; i < value.size(); ++i) {
      Json cleaned = clean(value[i], fmt::format("{}[{}]", path, i), false);
      if (!cleaned.is_discarded()) kept.push_back(std::move(cleaned));
    }
    return kept;
  }

  std::vector<std::string> left_out_;
};

}  // namespace

bool is_secret_name(std::string_view name) {
  const std::vector<std::string> parts = words_of_name(name);
  if (parts.empty() || is_in(kReferences, parts.back())) return false;
  std::string joined;
  for (const std::string& part : parts) joined += part;
  if (says_secret(joined)) return true;
  const bool is_of_model = std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return is_in(kModelParams, part);
  });
  return !is_of_model && std::any_of(parts.begin(), parts.end(), is_secret_word);
}

std::string without_address_secrets(std::string_view text) {
  constexpr std::string_view kScheme = "://";
  std::string out;
  for (auto at = text.find(kScheme); at != text.npos; at = text.find(kScheme)) {
    const std::size_t begin = at + kScheme.size();
    out.append(text.substr(0, begin));
    text.remove_prefix(begin);
    const std::string_view address =
        text.substr(0, std::min(text.find_first_of(" \t\r\n\"'<>`"), text.size()));
    out += without_key_parameters(address.substr(user_end(address)));
    text.remove_prefix(address.size());
  }
  return out.append(text);
}

CleanValue without_secrets(const Json& value, const std::string& path) {
  SecretCleaner cleaner;
  Json kept = cleaner.clean(value, path, false);
  if (kept.is_discarded()) kept = Json();
  return {std::move(kept), std::move(cleaner).left_out()};
}

}  // namespace filecall::client
