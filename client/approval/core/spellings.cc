// SPDX-License-Identifier: MIT
#include "client/approval/core/spellings.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "client/approval/core/argv_reading.h"
#include "client/approval/core/kind_names.h"
#include "client/approval/core/program_models.h"
#include "client/approval/core/same_values.h"
#include "client/approval/core/spelling_rows.h"
#include "client/approval/core/text_glob.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

using SpeltWords = std::vector<std::string>;

/// Beyond it no word is tried as a verb, and no other spelling is made.
constexpr std::size_t kPlacesMax = 64;
constexpr std::size_t kSpellingsMax = 256;
constexpr std::size_t kWordsMany = 512;
/// Words in all spellings of one command, or 32 times its own.
constexpr std::size_t kWordsCopiedMax = 16 * 1024;
/// git -c alias.x=...: nobody writes more of them.
constexpr std::size_t kAliasesMax = 8;
/// Words behind a verb of kubectl that may be kinds: a few, and each KIND/NAME.
constexpr int kKindsMax = 16;

/// Verbs of a container that stand behind `container`, or alone.
constexpr std::string_view kContainerVerbs =
    "attach commit cp create diff exec export inspect kill logs pause port rename restart rm run "
    "start stats stop top unpause update wait";

SpeltWords words_in(std::string_view list) {
  SpeltWords words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (end > at) words.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string_view first_of(std::string_view list) { return list.substr(0, list.find(' ')); }

const VerbsRow* verbs_of(std::string_view program) {
  for (const VerbsRow& row : verbs_rows()) {
    if (row.program == program) return &row;
  }
  return nullptr;
}

bool has_verbs(std::string_view program) {
  const std::span<const SpellingRow> rows = spelling_rows();
  return find_verb_program(program) != nullptr || verbs_of(program) != nullptr ||
         std::any_of(rows.begin(), rows.end(),
                     [program](const SpellingRow& row) { return has_word(row.programs, program); });
}

bool begins_with_dash(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// Where the verb may stand.
std::vector<std::size_t> verb_places(std::string_view program, const SpeltWords& words) {
  std::vector<std::size_t> places;
  const VerbModel* model = find_verb_program(program);
  bool is_clear = model != nullptr;
  // Each place may copy all words. What is not clear is never allowed, so a few are enough.
  const std::size_t most = std::min(words.size(), words.size() > kWordsMany ? 8 : kPlacesMax);
  if (model != nullptr) places.push_back(verb_place(words, *model, false, is_clear));
  for (std::size_t at = 1; !is_clear && at < most; ++at) {
    if (!begins_with_dash(words[at])) places.push_back(at);
  }
  return places;
}

class Speller {
 public:
  /// `words_left`: how many may be copied. An inner one spells what another has spelt.
  Speller(const SpeltWords& words, std::size_t* words_left, bool is_inner = true)
      : words_(words),
        name_(program_name(words[0])),
        is_inner_(is_inner),
        words_left_(words_left) {}

  std::vector<SpeltWords> spell() {
    by_program();
    if (has_verbs(name_)) {
      for (const std::size_t at : verb_places(name_, words_)) {
        if (at < words_.size()) by_verb(at);
      }
    }
    if (name_ == "tar" && words_.size() > 1 && !begins_with_dash(words_[1])) {
      add({}, 1);
      if (!out_.empty()) out_.back()[1].insert(0, 1, '-');  // The old form: tar xf.
    }
    by_value();
    return std::move(out_);
  }

 private:
  /// The program, `head`, and the words from `rest` on.
  void add(const SpeltWords& head, std::size_t rest, std::string_view program = {}) {
    rest = std::min(rest, words_.size());
    const std::size_t count = 1 + head.size() + words_.size() - rest;
    if (out_.size() >= kSpellingsMax || count > *words_left_) return;
    *words_left_ -= count;
    SpeltWords one = {std::string(program.empty() ? name_ : program)};
    one.insert(one.end(), head.begin(), head.end());
    one.insert(one.end(), words_.begin() + static_cast<std::ptrdiff_t>(rest), words_.end());
    out_.push_back(std::move(one));
  }

  /// git-push, npx, python -m pip; and what these are then.
  void by_program() {
    std::vector<SpeltWords> found;
    const std::size_t dash = name_.find('-');
    if (dash != std::string::npos && find_verb_program(name_.substr(0, dash)) != nullptr) {
      add({name_.substr(dash + 1)}, 1, name_.substr(0, dash));
    }
    for (const ProgramRow& row : program_rows()) {
      if (row.program != name_) continue;
      SpeltWords head = words_in(row.also);
      const std::string program = head.front();
      head.erase(head.begin());
      add(head, 1, program);
    }
    if (unversioned(name_) == "python" || unversioned(name_) == "pypy") {
      const auto module = std::find(words_.begin(), words_.end(), "-m");
      if (std::distance(module, words_.end()) > 1) {
        add({}, static_cast<std::size_t>(module - words_.begin()) + 2, *std::next(module));
      }
    }
    if (name_ == "git") by_alias();
    if (is_inner_) return;
    for (std::size_t i = out_.size(); i > 0; --i) {
      Speller inner(out_[i - 1], words_left_);
      for (SpeltWords& one : inner.spell()) found.push_back(std::move(one));
    }
    std::move(found.begin(), found.end(), std::back_inserter(out_));
  }

  /// How many words the phrase takes at `at`; options may stand among them. 0: it is another one.
  std::size_t phrase_words(const SpeltWords& phrase, std::size_t at) const {
    if (words_[at] != phrase[0]) return 0;
    std::size_t end = at + 1;
    for (std::size_t i = 1; i < phrase.size(); ++i) {
      const std::size_t last = std::min(words_.size(), end + 8);
      while (end < last && words_[end] != phrase[i]) {
        if (!begins_with_dash(words_[end]) && !begins_with_dash(words_[end - 1])) return 0;
        ++end;
      }
      if (end >= last) return 0;
      ++end;
    }
    return end - at;
  }

  void by_verb(std::size_t at) {
    for (const SpellingRow& row : spelling_rows()) {
      const bool may_begin =
          first_of(row.verb) == words_[at] || (row.is_mutual && first_of(row.also) == words_[at]);
      if (!may_begin || !has_word(row.programs, name_)) continue;
      const SpeltWords verb = words_in(row.verb);
      const SpeltWords also = words_in(row.also);
      if (const std::size_t n = phrase_words(verb, at)) add(also, at + n);
      if (!row.is_mutual) continue;
      if (const std::size_t n = phrase_words(also, at)) add(verb, at + n);
    }
    if (name_ == "docker" || name_ == "podman") {
      if (words_[at] == "container") add({}, at + 1);
      if (has_word(kContainerVerbs, words_[at])) add({"container"}, at);
    }
    // yarn workspace NAME publish, yarn workspaces foreach publish
    if (name_ == "yarn" && words_[at].starts_with("workspace")) {
      for (std::size_t i = at + 1; i < std::min(words_.size(), at + 6); ++i) add({}, i);
    }
    const VerbsRow* verbs = verbs_of(name_);
    if (verbs != nullptr && verbs->is_shortened && !has_word(verbs->verbs, words_[at])) {
      for (const std::string& verb : words_in(verbs->verbs)) {
        if (!words_[at].empty() && verb.starts_with(words_[at])) {
          add({verb}, at + 1);
          by_alias_of(verb, at);
        }
      }
    }
    if (name_ == "kubectl" || name_ == "oc") by_kind(at);
    by_options(at);
  }

  /// npm inst is npm install, and what that is besides.
  void by_alias_of(const std::string& verb, std::size_t at) {
    for (const SpellingRow& row : spelling_rows()) {
      if (has_word(row.programs, name_) && row.verb == verb) add(words_in(row.also), at + 1);
    }
  }

  /// git -c alias.x=push x: what x is. A script (!push) is read by the reader of argvs.
  void by_alias() {
    std::size_t found = 0;
    for (std::size_t i = 1; i < words_.size() && found < kAliasesMax; ++i) {
      const std::size_t alias = words_[i].find("alias.");
      const std::size_t equals = words_[i].find('=', alias);
      if (alias == std::string::npos || equals == std::string::npos) continue;
      add(words_in(std::string_view(words_[i]).substr(equals + 1)), i + 1);
      ++found;
    }
  }

  /// kubectl delete ns/x, pods,namespaces: each kind in its other names.
  void by_kind(std::size_t verb) {
    std::set<std::string> seen;
    int tried = 0;
    for (std::size_t at = verb + 1; at < words_.size(); ++at) {
      if (begins_with_dash(words_[at])) continue;
      const std::size_t slash = words_[at].find('/');
      // Values of options may stand before the kind, and names behind it.
      if (slash == std::string::npos && tried++ >= kKindsMax) continue;
      const std::string kinds = words_[at].substr(0, slash);
      for (std::size_t begin = 0; begin < kinds.size();) {
        const std::size_t end = std::min(kinds.find(',', begin), kinds.size());
        const auto names = kind_spellings(kinds.substr(begin, end - begin));
        begin = end + 1;
        if (!seen.insert(names.front()).second) continue;
        for (const std::string& name : names) {
          SpeltWords head = {words_[verb], name};
          if (slash != std::string::npos) head.push_back(words_[at].substr(slash + 1));
          add(head, at + 1);
        }
      }
    }
  }

  /// A word behind the verb is the option, in full or shortened, or has its letter.
  bool has_option_of_git(std::size_t at, char letter, std::string_view name) const {
    return std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(at), words_.end(),
                       [&](const std::string& word) {
                         if (word.starts_with("--"))
                           return word.size() > 2 && name.starts_with(word);
                         return begins_with_dash(word) && letter != 0 &&
                                word.find(letter, 1) != std::string::npos;
                       });
  }

  /// Options that together are another verb: branch -d -f is branch -D; +ref and :ref of a push.
  void by_options(std::size_t at) {
    const std::string& verb = words_[at];
    if ((name_ == "terraform" || name_ == "tofu") && verb == "apply") {
      const bool destroys = std::any_of(words_.begin(), words_.end(), [](const std::string& word) {
        return word.starts_with("-destroy") || word.starts_with("--destroy");
      });
      if (destroys) add({"destroy"}, at + 1);
    }
    if (name_ != "git") return;
    const auto begins = [&](char c) {
      return std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(at) + 1, words_.end(),
                         [c](const std::string& word) { return word.size() > 1 && word[0] == c; });
    };
    if (verb == "branch" && has_option_of_git(at, 'd', "--delete") &&
        has_option_of_git(at, 'f', "--force")) {
      add({"branch", "-D"}, at + 1);
    }
    if (verb != "push" && verb != "send-pack") return;
    if (begins('+')) add({"push", "--force"}, at + 1);
    if (begins(':')) add({"push", "--delete"}, at + 1);
    if (has_option_of_git(at, 0, "--prune") || has_option_of_git(at, 0, "--mirror")) {
      add({"push", "--delete"}, at + 1);
    }
  }

  /// --namespace=prod: option and value apart; kill -s KILL.
  void by_value() {
    SpeltWords apart = {name_};
    bool is_respelt = false;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::size_t equals = words_[i].find('=');
      if (!words_[i].starts_with("--") || equals == std::string::npos) {
        apart.push_back(words_[i]);
      } else {
        apart.push_back(words_[i].substr(0, equals));
        apart.push_back(words_[i].substr(equals + 1));
      }
      const bool is_signal = name_ == "kill" || name_ == "pkill" || name_ == "killall";
      if (is_signal && is_kill_signal(apart)) apart.emplace_back("-9");
      if (name_ == "chmod" && is_mode_of_all(words_[i])) {
        is_respelt = true;
        apart.back() = "777";
      }
    }
    const bool is_other =
        (is_respelt || apart.size() != words_.size()) && apart.size() <= *words_left_;
    if (is_other && out_.size() < kSpellingsMax) out_.push_back(apart);
  }

  const SpeltWords& words_;
  std::string name_;
  bool is_inner_;
  std::size_t* words_left_;
  std::vector<SpeltWords> out_;
};

}  // namespace

std::vector<std::vector<std::string>> other_spellings(const std::vector<std::string>& words) {
  if (words.empty() || words[0].empty()) return {};
  std::size_t words_left = std::max(kWordsCopiedMax, 32 * words.size());
  return Speller(words, &words_left, false).spell();
}

bool has_too_many_aliases(const std::vector<std::string>& words) {
  const auto count = std::count_if(words.begin(), words.end(), [](const std::string& word) {
    return word.find("alias.") != std::string::npos && word.find('=') != std::string::npos;
  });
  return static_cast<std::size_t>(count) > kAliasesMax;
}

bool may_be_other_program(std::string_view program) {
  const std::span<const ProgramRow> rows = program_rows();
  return program.find('-') != std::string_view::npos || unversioned(program) == "python" ||
         unversioned(program) == "pypy" ||
         std::any_of(rows.begin(), rows.end(),
                     [program](const ProgramRow& row) { return row.program == program; });
}

std::vector<std::string> option_spellings(std::string_view program, const std::string& option) {
  std::vector<std::string> names = {option};
  for (const OptionRow& row : option_rows()) {
    if (!has_word(row.programs, program) || !has_word(row.options, option)) continue;
    for (std::string& name : words_in(row.options)) {
      if (name != option) names.push_back(std::move(name));
    }
  }
  return names;
}

bool is_same_target(std::string_view program, std::string_view wanted, std::string_view word) {
  if (wanted == word) return true;
  // ./deploy of make is deploy.
  const bool takes_paths = has_word("make gmake ninja", program);
  if (takes_paths && !wanted.starts_with('-') && plain_path(wanted) == plain_path(word))
    return true;
  if (!has_word("gradle gradlew mvn mvnw", program)) return false;
  std::string_view last = word.substr(word.find_last_of(':') + 1);
  last = last.substr(0, last.find('@'));
  if (last == wanted) return true;
  // gradle takes what begins the name of a task.
  return program.starts_with("gradle") && last.size() > 1 && wanted.starts_with(last);
}

std::string unknown_verb(std::string_view program, const std::vector<std::string>& words) {
  const VerbModel* model = find_verb_program(program);
  const VerbsRow* verbs = verbs_of(program);
  if (model == nullptr && verbs == nullptr) return {};
  bool is_clear = true;
  std::size_t at = 1;
  if (model != nullptr) {
    at = verb_place(words, *model, false, is_clear);
    if (!is_clear) return fmt::format("an option of {} is not known here", program);
  } else {
    while (at < words.size() && begins_with_dash(words[at])) ++at;
  }
  if (verbs == nullptr || at >= words.size() || has_word(verbs->verbs, words[at])) return {};
  // hg -R DIR, ip -n NAME: what stands behind an option may be its value.
  if (model == nullptr && at > 1 && at + 1 < words.size() &&
      has_word(verbs->verbs, words[at + 1])) {
    return {};
  }
  return fmt::format("{} is no verb of {} that is known here; it may be an alias or a plugin",
                     excerpt(words[at], 40), program);
}

}  // namespace filecall::client
