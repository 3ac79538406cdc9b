// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/value_looks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kRandomBytes = 6;
constexpr std::size_t kGeneratedBytes = 16;
constexpr double kGeneratedBits = 3.0;  ///< Of entropy a character.

constexpr std::array kStates = std::to_array<std::string_view>(
    {"allow",  "anonymous",   "apikey",   "auto",     "basic",         "bearer",
     "cert",   "certificate", "default",  "deny",     "disable",       "disabled",
     "enable", "enabled",     "external", "false",    "header",        "internal",
     "jwt",    "kubernetes",  "ldap",     "managed",  "md5",           "mtls",
     "n/a",    "no",          "none",     "null",     "oauth",         "oauth2",
     "off",    "oidc",        "on",       "optional", "password",      "plain",
     "random", "rbac",        "required", "saml",     "scram-sha-256", "scram-sha-512",
     "secret", "strict",      "string",   "tls",      "token",         "true",
     "trust",  "undefined",   "unset",    "vault",    "x509",          "yes",
     "~"});
constexpr std::array kStores = std::to_array<std::string_view>(
    {"vault:",    "ref+",         "op://",    "arn:aws",        "gcp:",     "sm://",
     "gsm://",    "awssm://",     "ssm:",     "azurekeyvault:", "akv:",     "secretref:",
     "file:",     "env:",         "ENC[",     "{vault}",        "keyring:", "projects/",
     "secret://", "secret/data/", "kv/data/", "k8s://",         "!vault",   "conjur:"});
constexpr std::array kPrograms = std::to_array<std::string_view>(
    {"os.environ", "os.getenv", "getenv(", "process.env", "$_ENV", "$_SERVER", "System.getenv",
     "ENV[", "ENV.fetch", "env(", "fs.readFile", "await ", "lookup(", "Optional[", "req.headers",
     "request.", "this.", "self.", "args."});

char lowered_char(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_variable_char(char c) {
  return is_small(c) || is_capital(c) || is_digit_char(c) || c == '_';
}

bool is_variable(std::string_view value) {
  if (value.size() < 2 || value.front() != '$') return false;
  const char next = value[1];
  if (next == '(') return value.ends_with(')');
  if (next == '{') return value.ends_with('}');
  const std::string_view name = value.substr(1);
  const bool is_dotted = name.find('.') != name.npos;
  return (is_capital(next) || is_dotted || next == '_' || name.find('_') != name.npos ||
          std::all_of(name.begin(), name.end(), is_small)) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_variable_char(c) || c == '.'; }) &&
         std::none_of(name.begin(), name.end(), is_digit_char);
}

bool is_call(std::string_view value) {
  const std::size_t open = value.find('(');
  if (open == 0 || open == value.npos || value.find(')', open) == value.npos) return false;
  const std::string_view name = value.substr(0, open);
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_variable_char(c) || c == '.' || c == ':'; }) &&
         std::any_of(name.begin(), name.end(), is_small);
}

bool is_uuid(std::string_view value) {
  if (value.size() != 36) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = lowered_char(value[i]);
    if (is_dash ? c != '-' : !(is_digit_char(c) || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

double entropy(std::string_view value) {
  std::array<int, 256> counts{};
  for (const char c : value) ++counts[static_cast<unsigned char>(c)];
  double out = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    const double part = static_cast<double>(count) / static_cast<double>(value.size());
    out -= part * std::log2(part);
  }
  return out;
}

}  // namespace

bool is_reference_value(std::string_view value) {
  if (is_variable(value) || value.find("{{") != value.npos || value.find("${") != value.npos ||
      value.find("$(") != value.npos) {
    return true;
  }
  if (value.starts_with('<') && value.ends_with('>')) return true;
  // A pattern.
  if (value.starts_with('\\') || value.starts_with("[^") || value.starts_with(".*")) return true;
  if (value.starts_with("%(") || value.starts_with("%env(") || value.starts_with("$__"))
    return true;
  const auto begins = [value](std::string_view store) { return value.starts_with(store); };
  if (std::any_of(kStores.begin(), kStores.end(), begins)) return true;
  const auto holds = [value](std::string_view text) { return value.find(text) != value.npos; };
  if (std::any_of(kPrograms.begin(), kPrograms.end(), holds) || is_call(value)) return true;
  return value.starts_with("[redacted") || value == "REDACTED" ||
         value.find_first_not_of("*") == value.npos;
}

bool is_state_word(std::string_view value) {
  constexpr std::size_t kLongest = 16;
  if (value.empty()) return true;
  if (value.size() > kLongest) return false;
  std::array<char, kLongest> small{};
  std::transform(value.begin(), value.end(), small.begin(), lowered_char);
  const std::string_view word(small.data(), value.size());
  return std::find(kStates.begin(), kStates.end(), word) != kStates.end();
}

bool is_quantity(std::string_view value) {
  const std::size_t digits = value.find_first_not_of("0123456789.");
  if (digits == 0) return false;
  if (digits == value.npos) return true;
  const std::string_view unit = value.substr(digits);
  for (const std::string_view known : {"s", "m", "h", "d", "w", "ms", "us", "ns", "Ki", "Mi", "Gi",
                                       "K", "M", "G", "KB", "MB", "GB", "%"}) {
    if (unit == known) return true;
  }
  return false;
}

bool is_name_like(std::string_view value) {
  return !value.empty() && is_small(value.front()) &&
         std::all_of(value.begin(), value.end(),
                     [](char c) { return is_small(c) || c == '-' || c == '.' || c == '_'; });
}

bool looks_random(std::string_view value) {
  if (value.size() < kRandomBytes || value.find(' ') != value.npos) return false;
  if (value.front() == '/' || value.find("://") != value.npos) return false;
  int small = 0, capitals = 0, digits = 0, signs = 0, changes = 0;
  char before = 0;
  for (const char c : value) {
    small += is_small(c);
    capitals += is_capital(c);
    digits += is_digit_char(c);
    const bool is_sign = std::string_view("!@#$%^&*~+=?").find(c) != std::string_view::npos;
    signs += is_sign;
    changes += before != 0 && is_small(before) && is_capital(c);
    before = c;
  }
  if (small + capitals == 0) return false;
  return digits > 0 || signs > 0 || (capitals >= 2 && small >= 2 && changes >= 2);
}

bool looks_generated(std::string_view value) {
  if (value.starts_with("base64:")) value.remove_prefix(7);
  if (is_uuid(value)) return true;
  if (value.size() < kGeneratedBytes) return false;
  int letters = 0, digits = 0;
  for (const char c : value) {
    const bool is_letter = is_small(c) || is_capital(c);
    letters += is_letter;
    digits += is_digit_char(c);
    if (!is_letter && !is_digit_char(c) &&
        std::string_view("+/=_-.~!*^").find(c) == std::string_view::npos) {
      return false;
    }
  }
  const int capitals = static_cast<int>(std::count_if(value.begin(), value.end(), is_capital));
  const bool is_mixed = capitals > 1 && capitals < letters - 1;
  return letters > 0 && (digits > 1 || is_mixed) && entropy(value) >= kGeneratedBits;
}

}  // namespace filecall::worker::kube
