// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/redaction_rules.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "worker/exec/kube/model/label_selector.h"
#include "worker/exec/kube/model/value_looks.h"

namespace filecall::worker::kube {
namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lowered(c); });
  return out;
}

/// A flag is called as its variable is.
std::string_view bare_name(std::string_view name) {
  while (name.starts_with('-')) name.remove_prefix(1);
  return name;
}

bool is_any(const std::vector<std::string>& patterns, std::string_view name) {
  if (patterns.empty()) return false;
  const std::string lower = lowered(bare_name(name));
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return glob_matches(pattern, lower); });
}

bool is_form(std::string_view entry) {
  return entry.size() > 2 && entry.starts_with('/') && entry.ends_with('/');
}

Result<void> read_name(const std::string& entry, std::vector<std::string>& out) {
  const bool has_letter = std::ranges::any_of(entry, [](char c) {
    return (lowered(c) >= 'a' && lowered(c) <= 'z') || (c >= '0' && c <= '9');
  });
  if (!has_letter) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' fits every name; a name needs a letter or a digit", entry));
  }
  out.push_back(lowered(bare_name(entry)));
  return {};
}

}  // namespace

struct RedactionRules::Forms {
  std::vector<std::unique_ptr<RE2>> all;
};

Result<RedactionRules> RedactionRules::parse(const std::vector<std::string>& add,
                                             const std::vector<std::string>& except) {
  RedactionRules out;
  auto forms = std::make_shared<Forms>();
  RE2::Options options;
  options.set_log_errors(false);
  for (const std::string& entry : add) {
    if (!is_form(entry)) {
      TRY(read_name(entry, out.added_));
      continue;
    }
    auto form = std::make_unique<RE2>(entry.substr(1, entry.size() - 2), options);
    if (!form->ok()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("'{}': {}", entry, form->error()));
    }
    if (RE2::FullMatch("", *form)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' fits an empty text", entry));
    }
    forms->all.push_back(std::move(form));
  }
  for (const std::string& entry : except) {
    if (is_form(entry)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}': exceptions are names; a form can only be added", entry));
    }
    TRY(read_name(entry, out.excepted_));
  }
  if (!forms->all.empty()) out.forms_ = std::move(forms);
  return out;
}

const RedactionRules& RedactionRules::none() {
  static const RedactionRules kNone;
  return kNone;
}

bool RedactionRules::adds(std::string_view name) const { return is_any(added_, name); }
bool RedactionRules::excepts(std::string_view name) const {
  return is_any(excepted_, name) && !adds(name);
}

std::string_view RedactionRules::word(std::string_view name, NamePlace place,
                                      std::string_view value) const {
  if (adds(name)) return value.empty() || is_reference_value(value) ? std::string_view() : kAdded;
  return excepts(name) ? std::string_view() : credential_word(name, place, value);
}

std::string RedactionRules::why(std::string_view what, std::string_view name, NamePlace place,
                                std::string_view value) const {
  if (adds(name)) return fmt::format("{} {} is in {}", what, name, kAdded);
  return fmt::format("{} {} has the word {}", what, name, credential_word(name, place, value));
}

bool RedactionRules::is_name(std::string_view name, NamePlace place) const {
  return adds(name) || (is_credential_name(name, place) && !excepts(name));
}
bool RedactionRules::may_be_name(std::string_view name) const {
  return adds(name) || (may_be_credential_name(name) && !excepts(name));
}
bool RedactionRules::is_password(std::string_view name) const {
  return adds(name) || (is_password_name(name) && !excepts(name));
}
bool RedactionRules::is_group(std::string_view name) const {
  return adds(name) || (is_credential_group(name) && !excepts(name));
}
bool RedactionRules::is_below(std::string_view group, std::string_view value) const {
  return adds(group) ? !value.empty() && !is_reference_value(value)
                     : is_credential_below(group, value);
}

bool RedactionRules::is_user_map(std::string_view name) const {
  return kube::is_user_map(name) && !excepts(name);
}

void RedactionRules::find_forms(std::string_view text, std::vector<TextSpan>& spans) const {
  if (forms_ == nullptr) return;
  for (const auto& form : forms_->all) {
    re2::StringPiece found;
    for (std::size_t at = 0; at < text.size();) {
      if (!form->Match(text, at, text.size(), RE2::UNANCHORED, &found, 1)) break;
      const auto begin = static_cast<std::size_t>(found.data() - text.data());
      if (!found.empty()) spans.push_back({begin, begin + found.size()});
      at = std::max(begin + found.size(), at + 1);
    }
  }
}

}  // namespace filecall::worker::kube
