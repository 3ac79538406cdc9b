// SPDX-License-Identifier: MIT
#include "client/approval/core/member_condition.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/approval/core/kind_names.h"
#include "client/approval/core/text_glob.h"

namespace filecall::client {
namespace {

/// Members whose value a cluster or its kubeconfig chooses when the call does not.
bool has_default(std::string_view tool, std::string_view pointer) {
  if (tool == "git.commit") return pointer.starts_with("/paths");  // All that is changed.
  return tool.starts_with("kube.") &&
         (pointer == "/context" || pointer == "/namespace" || pointer == "/kind");
}

/// These read what lies beneath the path that they are given.
bool looks_at_folders(std::string_view tool) {
  return tool == "file.list" || tool == "file.search";
}

bool reaches_all_namespaces(const Json& args) {
  const auto all = args.find("allNamespaces");
  return all != args.end() && *all == true;
}

/// The name of an object that is a namespace itself.
const Json* named_namespace(const Json& args) {
  const auto kind = args.find("kind");
  const auto name = args.find("name");
  if (kind == args.end() || !kind->is_string() || name == args.end()) return nullptr;
  return plain_kind(kind->get_ref<const std::string&>()) == "namespace" ? &*name : nullptr;
}

/// The folder in which all lies that a glob for paths fits: secrets of secrets/**.
std::string folder_of(const std::string& glob) {
  const std::string plain = glob.substr(0, glob.find_first_of("*?["));
  const std::size_t slash = plain.find_last_of('/');
  return plain_path(slash == std::string::npos ? ""
                                               : plain.substr(0, std::max<std::size_t>(1, slash)));
}

void collect(const Json& value, const std::vector<std::string>& tokens, std::size_t at,
             std::vector<const Json*>& out) {
  if (at == tokens.size()) {
    out.push_back(&value);
  } else if (value.is_string() && at + 1 == tokens.size() && tokens[at] == "path") {
    out.push_back(&value);  // A list of files has paths, or objects with a path.
  } else if (value.is_array()) {
    if (tokens[at] == "*") {
      for (const Json& one : value) collect(one, tokens, at + 1, out);
      return;
    }
    std::size_t index = 0;
    for (const char c : tokens[at]) {
      if (c < '0' || c > '9' || index > value.size()) return;
      index = index * 10 + static_cast<std::size_t>(c - '0');
    }
    if (!tokens[at].empty() && index < value.size()) collect(value[index], tokens, at + 1, out);
  } else if (value.is_object()) {
    if (tokens[at] == "*") {
      for (const auto& [key, one] : value.items()) collect(one, tokens, at + 1, out);
      return;
    }
    if (const auto found = value.find(tokens[at]); found != value.end()) {
      collect(*found, tokens, at + 1, out);
    }
  }
}

/// A path in all ways in which a rule may name it: without dots, from the top, from the directory;
/// and the same of what it leads to.
std::vector<std::string> path_spellings(const std::string& path, const CallToDecide& call) {
  const std::string& from = call.working_directory;
  std::vector<std::string> all;
  const auto add = [&](const std::string& plain) {
    for (std::string one : {plain, absolute_path(from, plain), relative_path(from, plain)}) {
      if (!one.empty()) all.push_back(std::move(one));
    }
  };
  add(plain_path(path));
  if (const auto led = call.led_paths.find(path); led != call.led_paths.end()) add(led->second);
  return all;
}

}  // namespace

bool is_place_member(std::string_view name) {
  constexpr std::string_view kPlaces[] = {"path",  "paths",      "cwd",       "file",
                                          "files", "repository", "directory", "changes"};
  return std::find(std::begin(kPlaces), std::end(kPlaces), name) != std::end(kPlaces);
}

Result<MemberCondition> MemberCondition::of(const std::string& pointer, const Json& wanted) {
  MemberCondition condition;
  condition.pointer_ = pointer;
  if (pointer.size() < 2 || pointer[0] != '/') {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is no JSON pointer; write /context or /changes/*/path", pointer));
  }
  std::string token;
  for (std::size_t i = 1; i <= pointer.size(); ++i) {
    if (i == pointer.size() || pointer[i] == '/') {
      condition.tokens_.push_back(std::exchange(token, {}));
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && pointer[i + 1] == '0') {
      token += '~';
      ++i;
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && pointer[i + 1] == '1') {
      token += '/';
      ++i;
    } else {
      token += pointer[i];
    }
  }
  if (wanted.is_array()) {
    condition.wanted_.assign(wanted.begin(), wanted.end());
  } else {
    condition.wanted_.push_back(wanted);
  }
  if (condition.wanted_.empty()) {
    return fail(ErrorCode::kInvalidArgument, pointer + ": nothing fits an empty list");
  }
  return condition;
}

std::string_view MemberCondition::member() const { return tokens_.front(); }

MemberCondition::Answer MemberCondition::ask(const CallToDecide& call, Leaning leaning) const {
  static const Json kTop = ".";
  std::vector<const Json*> values;
  collect(call.args, tokens_, 0, values);
  if (pointer_ == "/namespace" && reaches_all_namespaces(call.args)) {
    return leaning == Leaning::kCover ? Answer::kNone : Answer::kAbsent;
  }
  if (const Json* name = pointer_ == "/namespace" ? named_namespace(call.args) : nullptr) {
    values.push_back(name);
  }
  // What lists or searches without a path looks at everything.
  if (values.empty() && pointer_ == "/path" && looks_at_folders(call.tool)) values.push_back(&kTop);
  if (values.empty()) {
    return has_default(call.tool, pointer_) || call.args.is_discarded() ? Answer::kAbsent
                                                                        : Answer::kNone;
  }
  const auto one_fits = [&](const Json* value) { return fits(*value, call, leaning); };
  if (leaning == Leaning::kCover) {
    return std::all_of(values.begin(), values.end(), one_fits) ? Answer::kYes : Answer::kNone;
  }
  if (std::any_of(values.begin(), values.end(), one_fits)) return Answer::kYes;
  const auto one_holds = [&](const Json* value) { return holds(*value, call); };
  const bool may_hold = (call.has_effects || looks_at_folders(call.tool)) &&
                        std::any_of(values.begin(), values.end(), one_holds);
  const auto one_is_open = [&](const Json* value) { return may_be_kind(*value); };
  return may_hold || std::any_of(values.begin(), values.end(), one_is_open) ? Answer::kAbsent
                                                                            : Answer::kNone;
}

bool MemberCondition::holds(const Json& value, const CallToDecide& call) const {
  const bool is_path = is_place_member(tokens_.front()) || is_place_member(tokens_.back());
  if (!is_path || !value.is_string()) return false;
  const std::string from = call.working_directory.starts_with('/') ? call.working_directory : "/";
  const auto given = path_spellings(value.get_ref<const std::string&>(), call);
  return std::any_of(wanted_.begin(), wanted_.end(), [&](const Json& wanted) {
    if (!wanted.is_string()) return false;
    const std::string inside = absolute_path(from, folder_of(wanted.get_ref<const std::string&>()));
    return std::any_of(given.begin(), given.end(), [&](const std::string& one) {
      const std::string outside = absolute_path(from, one);
      return inside != outside && !relative_path(outside, inside).empty();
    });
  });
}

bool MemberCondition::may_be_kind(const Json& value) const {
  if (tokens_.back() != "kind" || !value.is_string()) return false;
  if (is_known_kind(value.get_ref<const std::string&>())) return false;
  return std::any_of(wanted_.begin(), wanted_.end(), [](const Json& wanted) {
    return wanted.is_string() && !is_known_kind(wanted.get_ref<const std::string&>());
  });
}

bool MemberCondition::fits(const Json& value, const CallToDecide& call, Leaning leaning) const {
  return std::any_of(wanted_.begin(), wanted_.end(), [&](const Json& wanted) {
    if (value.is_string() && wanted.is_string()) {
      return text_fits(wanted.get_ref<const std::string&>(), value.get_ref<const std::string&>(),
                       call, leaning);
    }
    if (wanted == "*" || wanted == "**") return true;  // Named, whatever it is.
    // {path: x} in a list of files is the file x, too.
    if (leaning == Leaning::kCatch && value.is_structured()) {
      return std::any_of(value.begin(), value.end(),
                         [&](const Json& inner) { return fits(inner, call, leaning); });
    }
    return value == wanted;
  });
}

bool MemberCondition::text_fits(const std::string& glob, const std::string& text,
                                const CallToDecide& call, Leaning leaning) const {
  const bool is_path = is_place_member(tokens_.front()) || is_place_member(tokens_.back());
  if (leaning == Leaning::kCover) {
    // A path that is spelt otherwise than it resolves is not what the rule names.
    if (is_path && plain_path(text) != text) return false;
    if (!fits_text_glob(glob, text, is_path) &&
        !(is_path && glob.starts_with('/') && !text.starts_with('/') &&
          fits_text_glob(glob, absolute_path(call.working_directory, text), true))) {
      return false;
    }
    const auto led = is_path ? call.led_paths.find(text) : call.led_paths.end();
    return led == call.led_paths.end() || fits_text_glob(glob, led->second, true) ||
           fits_text_glob(glob, relative_path(call.working_directory, led->second), true);
  }
  if (fits_text_glob(glob, text, false)) return true;
  if (tokens_.back() == "kind") return fits_text_glob(plain_kind(glob), plain_kind(text), false);
  if (!is_path) return false;
  std::string wanted = glob.substr(glob.starts_with("./") && glob.size() > 2 ? 2 : 0);
  if (wanted.size() > 1 && wanted.ends_with('/')) wanted.pop_back();
  for (const std::string& one : path_spellings(text, call)) {
    if (fits_text_glob(wanted, one, false) || fits_text_glob(wanted + "/*", one, false))
      return true;
    // secrets/** is for secrets itself, too; and what is done to a folder is done to what is in it.
    if (wanted.ends_with("/**") &&
        fits_text_glob(wanted.substr(0, wanted.size() - 3), one, false)) {
      return true;
    }
  }
  return false;
}

}  // namespace filecall::client
