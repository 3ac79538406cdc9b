// SPDX-License-Identifier: MIT
#include "client/approval/core/argv_pattern.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/approval/core/escape_models.h"
#include "client/approval/core/program_models.h"
#include "client/approval/core/spellings.h"
#include "client/approval/core/widening_words.h"

namespace filecall::client {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::string_view bare_name(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

bool is_word_for_no(const std::string& word) {
  static constexpr std::string_view kRefusals[] = {"false", "False", "FALSE", "no",
                                                   "off",   "0",     "none"};
  return std::find(std::begin(kRefusals), std::end(kRefusals), word) != std::end(kRefusals);
}

/// "-rf" has "-r"; "--force=yes" has "--force"; "--forc" is how getopt_long lets one write it.
bool has_option(const std::string& word, const std::string& option) {
  if (word == option) return true;
  if (option.starts_with("--")) {
    const std::string name = word.substr(0, word.find('='));
    return name.size() > 2 && option.starts_with(name);
  }
  if (option.size() == 2 && word.size() > 2 && word[0] == '-' && word[1] != '-') {
    return word.find(option[1], 1) != std::string::npos;
  }
  return word.starts_with(option + "=");
}

/// One of the words is the option, in one of its names.
bool names_option(const std::string& program, const std::vector<std::string>& words,
                  const std::string& option) {
  const std::vector<std::string> names = option_spellings(program, option);
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
    return is_option(word) && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
             return has_option(word, name);
           });
  });
}

/// -rf as pattern: the letters may stand apart in the call, and as --recursive --force.
bool has_cluster(const std::string& program, const std::vector<std::string>& words,
                 const std::string& option) {
  if (option.size() <= 2 || option[0] != '-' || option[1] == '-') return false;
  return std::all_of(option.begin() + 1, option.end(), [&](char letter) {
    return names_option(program, words, {'-', letter});
  });
}

/// -An prod, -wnprod, -wn=prod: the letter ends a cluster, and has this value.
bool has_clustered(const std::vector<std::string>& words, std::size_t i, char letter,
                   const std::string& value) {
  const std::string& word = words[i];
  if (word.size() < 3 || word[0] != '-' || word[1] == '-') return false;
  for (std::size_t at = word.find(letter, 1); at != std::string::npos;
       at = word.find(letter, at + 1)) {
    const std::string_view rest = std::string_view(word).substr(at + 1);
    if (rest.empty() && i + 1 < words.size() && words[i + 1] == value) return true;
    if (rest == value || rest == "=" + value) return true;
  }
  return false;
}

/// -n prod, -nprod: the option has this value.
bool has_valued(const std::string& program, const std::vector<std::string>& words,
                const std::string& option, const std::vector<std::string>& values) {
  for (const std::string& name : option_spellings(program, option)) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      for (const std::string& value : values) {
        if (words[i] == name && i + 1 < words.size() && words[i + 1] == value) return true;
        if (words[i] == name + value || words[i] == name + "=" + value) return true;
        if (name.size() == 2 && has_clustered(words, i, name[1], value)) return true;
      }
    }
  }
  return false;
}

/// Operands beyond those of a pattern: another target of make, a file that uniq writes.
bool does_more(const std::string& program, const std::vector<std::string>& words, std::size_t at) {
  if (!has_free_order(program)) return writes_operand(program, words);
  for (std::size_t i = at; i < words.size(); ++i) {
    // make -j 4; a target may be a number as well.
    const bool is_count =
        is_option(words[i - 1]) && words[i].find_first_not_of("0123456789.") == std::string::npos;
    if (!is_option(words[i]) && !is_count) return true;
  }
  return false;
}

}  // namespace

std::optional<ArgvPattern> ArgvPattern::of(const Json& json) {
  if (!json.is_array() || json.empty()) return std::nullopt;
  ArgvPattern pattern;
  for (const Json& one : json) {
    Word word;
    if (one.is_string()) {
      word.push_back(one.get<std::string>());
    } else if (one.is_number() || one.is_boolean()) {
      word.push_back(one.dump());  // chmod 777, as YAML reads it.
    } else if (one.is_array() && !one.empty()) {
      for (const Json& alternative : one) {
        if (!alternative.is_primitive() || alternative.is_null()) return std::nullopt;
        word.push_back(alternative.is_string() ? alternative.get<std::string>()
                                               : alternative.dump());
      }
    } else {
      return std::nullopt;
    }
    if (std::any_of(word.begin(), word.end(), [](const std::string& w) { return w.empty(); }) &&
        pattern.words_.empty()) {
      return std::nullopt;
    }
    pattern.words_.push_back(std::move(word));
  }
  return pattern;
}

bool ArgvPattern::fits_at(const Word& word, const std::string& text) const {
  return std::find(word.begin(), word.end(), text) != word.end();
}

bool ArgvPattern::fits_target(const std::string& program, const Word& word,
                              const std::string& text) {
  return std::any_of(word.begin(), word.end(),
                     [&](const std::string& one) { return is_same_target(program, one, text); });
}

bool ArgvPattern::fits_program(const std::string& text) const {
  const std::string name = program_name(text);
  return std::any_of(words_[0].begin(), words_[0].end(), [&](const std::string& one) {
    const std::string wanted = program_name(one);
    return one == text || wanted == name || unversioned(name) == wanted ||
           unversioned(name) == unversioned(wanted);
  });
}

bool ArgvPattern::catches(const SeenCommand& command) const {
  if (command.words.empty()) return false;
  const std::string program = program_name(command.words[0]);
  if (!fits_program(program) && !may_be_other_program(program)) return false;
  if (catches_words(command.words)) return true;
  if (program == "git" && has_too_many_aliases(command.words)) return true;
  if (words_.size() == 1 && !may_be_other_program(program)) return false;
  const std::vector<std::vector<std::string>> others = other_spellings(command.words);
  return std::any_of(others.begin(), others.end(), [this](const std::vector<std::string>& one) {
    return fits_program(one[0]) && catches_words(one);
  });
}

bool ArgvPattern::catches_words(const std::vector<std::string>& words) const {
  if (words.empty() || !fits_program(words[0])) return false;
  if (catches_from(words, 1)) return true;
  const VerbModel* model = find_verb_program(program_name(words[0]));
  if (model == nullptr) return false;
  bool is_clear = true;
  const std::size_t verb = verb_place(words, *model, false, is_clear);
  if (verb > 1 && catches_from(words, verb)) return true;
  if (is_clear) return false;
  // An option that is not known may take the next word or not: each word may be the verb.
  for (std::size_t at = 2; at < words.size() && at < 64; ++at) {
    if (catches_from(words, at)) return true;
  }
  return false;
}

bool ArgvPattern::catches_from(const std::vector<std::string>& words, std::size_t begin) const {
  const std::string program = program_name(words[0]);
  const bool is_free = has_free_order(program);
  const VerbModel* model = find_verb_program(program);
  std::size_t at = begin;
  bool is_first = true;
  for (std::size_t i = 1; i < words_.size(); ++i) {
    const Word& wanted = words_[i];
    if (std::all_of(wanted.begin(), wanted.end(), is_option)) {
      // The next word of the pattern may be its value.
      if (i + 1 < words_.size() &&
          std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
            return has_valued(program, words, one, words_[i + 1]);
          })) {
        ++i;
        continue;
      }
      const bool is_there = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
        return has_cluster(program, words, one) || names_option(program, words, one);
      });
      if (!is_there) return false;
      continue;
    }
    if (is_free) {
      if (std::none_of(words.begin() + 1, words.end(), [&](const std::string& word) {
            return fits_target(program, wanted, word);
          })) {
        return false;
      }
      continue;
    }
    // The verb of a known program stands here and nowhere else; behind it, and in other programs,
    // options and what may be their values are passed over.
    bool is_after_option = false;
    while (at < words.size() && !fits_at(wanted, words[at])) {
      const bool is_skipped = is_option(words[at]) || is_after_option;
      if (!is_skipped || (is_first && model != nullptr)) return false;
      is_after_option = is_option(words[at]) && words[at] != "--";
      ++at;
    }
    if (at == words.size()) return false;
    ++at;
    is_first = false;
  }
  return true;
}

bool ArgvPattern::covers(const SeenCommand& command) const {
  if (command.words.empty() || !fits_at(words_[0], command.words[0])) return false;
  const std::string program = program_name(command.words[0]);
  const VerbModel* model = find_verb_program(program);
  bool is_clear = true;
  std::size_t at = 1;
  if (model != nullptr && !(words_.size() > 1 && is_option(words_[1].front()))) {
    at = verb_place(command.words, *model, true, is_clear);
  }
  for (std::size_t i = 1; i < words_.size(); ++i, ++at) {
    if (at >= command.words.size() || !fits_at(words_[i], command.words[at])) return false;
  }
  if (is_widened(program, command.words, at)) return false;
  for (std::size_t i = at; i < command.words.size(); ++i) {
    if (is_escape(program, command.words, i) || takes_back(command.words, i)) return false;
  }
  return !does_more(program, command.words, at);
}

bool ArgvPattern::takes_back(const std::vector<std::string>& words, std::size_t i) const {
  const std::string& word = words[i];
  const std::string_view name = bare_name(std::string_view(word).substr(0, word.find('=')));
  return std::any_of(words_.begin() + 1, words_.end(), [&](const Word& wanted) {
    if (std::none_of(wanted.begin(), wanted.end(), is_option)) return false;
    // --dry-run false, as npm and tsc read it.
    if (is_option(words[i - 1]) && is_word_for_no(word)) return true;
    if (!is_option(word) || fits_at(wanted, word)) return false;
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
      const std::string option(bare_name(one.substr(0, one.find('='))));
      // A short one may be any long one that is negated: clean -n --no-dry-run.
      if (option.size() == 1) return word.starts_with("--no-") || name == option;
      if (!word.starts_with("--")) return name == option;
      return !name.empty() && (option.starts_with(name) || ("no-" + option).starts_with(name));
    });
  });
}

bool ArgvPattern::is_exactly(const std::vector<std::string>& argv) const {
  if (argv.size() != words_.size()) return false;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (!fits_at(words_[i], argv[i])) return false;
  }
  return true;
}

std::string ArgvPattern::too_wide() const {
  for (const std::string& one : words_[0]) {
    const std::string program = program_name(one);
    const bool runs_text = is_shell(program) || is_interpreter(program);
    const WrapperModel* wrapper = find_wrapper(program);
    if (!runs_text && wrapper == nullptr) continue;
    std::size_t at = 1;  // The first word of the pattern that is no option.
    while (at < words_.size() && is_option(words_[at].front())) ++at;
    if (wrapper != nullptr && !runs_text) at += static_cast<std::size_t>(wrapper->operands);
    if (at >= words_.size()) {
      return fmt::format("{} runs whatever it is given, and the rule does not say what", program);
    }
    if (wrapper == nullptr || wrapper->joins) continue;
    ArgvPattern inner;
    inner.words_.assign(words_.begin() + static_cast<std::ptrdiff_t>(at), words_.end());
    if (std::string reason = inner.too_wide(); !reason.empty()) return reason;
  }
  return {};
}

}  // namespace filecall::client
