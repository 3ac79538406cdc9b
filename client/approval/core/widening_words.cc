// SPDX-License-Identifier: MIT
#include "client/approval/core/widening_words.h"

#include <algorithm>

#include "client/approval/core/program_models.h"

namespace filecall::client {
namespace {

struct WideningRow {
  std::string_view programs;
  std::string_view verb;      ///< Empty: the program has none.
  std::string_view words;     ///< Options and operands; a long option may be shortened.
  bool any_operand = false;   ///< Any operand beyond those of a rule that names one.
  std::string_view begins{};  ///< An operand that begins with one of these characters.
};

// From the manual pages of the programs in Debian 12, and from the help of those that it lacks.
constexpr WideningRow kRows[] = {
    {"git", "apply", "--apply --index --cached --3way -3"},
    {"git", "branch",
     "-D -d -m -M -c -C -f -u --delete --force --move --copy --set-upstream-to --unset-upstream"},
    {"git", "checkout", "-f --force -B --orphan --theirs --ours -m --merge"},
    {"git", "config",
     "--unset --unset-all --add --replace-all --rename-section --remove-section -e --edit", true},
    {"git", "push",
     "-f --force --force-with-lease --force-if-includes --mirror --delete -d --prune --all --tags "
     "--branches",
     false, "+:"},
    {"git", "reflog", "expire delete drop"},
    {"git", "remote", "add remove rm rename set-url set-head set-branches prune update -p --prune"},
    {"git", "reset", "--hard --merge --keep"},
    {"git", "restore", "--worktree -W -s --source"},
    {"git", "stash", "drop clear pop apply branch store"},
    {"git", "switch", "-f --force --discard-changes -C --force-create --orphan -m --merge"},
    {"git", "symbolic-ref", "-d --delete", true},
    {"git", "tag", "-d --delete -f --force"},
    {"git", "rm", "", true},
    {"go", "env", "-w -u"},
    {"go", "test", "-c -mod -modfile -overlay -test.testlogfile -test.outputdir -test.gocoverdir"},
    {"kubectl oc", "delete", "--all -A --all-namespaces --force --now", true},
    {"kubectl oc", "scale", "--all", true},
    {"rm", "", "-r -R -f --recursive --force", true},
    {"rmdir", "", "-p --parents", true},
    {"shred truncate unlink", "", "", true},
};

bool begins_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

/// The word is the option, is a shortened one, or has its letter.
bool has_this_option(std::string_view word, std::string_view option) {
  if (word == option) return true;
  const std::string_view name = word.substr(0, word.find('='));
  if (option.starts_with("--")) return name.size() > 2 && option.starts_with(name);
  if (option.size() == 2 && word[1] != '-') {
    return word.substr(1).find(option[1]) != std::string_view::npos;
  }
  return name == option;
}

bool is_widening(const WideningRow& row, std::string_view word, bool names_more) {
  const bool is_of_options = begins_option(word);
  for (std::size_t begin = 0; begin < row.words.size();) {
    const std::size_t end = std::min(row.words.find(' ', begin), row.words.size());
    const std::string_view one = row.words.substr(begin, end - begin);
    begin = end + 1;
    if (is_of_options ? begins_option(one) && has_this_option(word, one) : word == one) return true;
  }
  if (is_of_options || word.empty()) return false;
  return (row.any_operand && names_more) || row.begins.find(word[0]) != std::string_view::npos;
}

}  // namespace

bool is_widened(std::string_view program, const std::vector<std::string>& words, std::size_t at) {
  const VerbModel* model = find_verb_program(program);
  bool is_clear = true;  // Of options that are not known the caller has its own doubts.
  const std::size_t verb = model == nullptr ? 0 : verb_place(words, *model, false, is_clear);
  const bool names_more = at > verb + 1;
  if (at <= verb || (model == nullptr && !names_more)) return false;
  for (const WideningRow& row : kRows) {
    if (!has_word(row.programs, program)) continue;
    if (!row.verb.empty() && (verb >= words.size() || words[verb] != row.verb)) continue;
    for (std::size_t i = at; i < words.size(); ++i) {
      if (is_widening(row, words[i], names_more)) return true;
    }
  }
  return false;
}

}  // namespace filecall::client
