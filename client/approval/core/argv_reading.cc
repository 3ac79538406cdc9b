// SPDX-License-Identifier: MIT
#include "client/approval/core/argv_reading.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "client/approval/core/escape_models.h"
#include "client/approval/core/program_models.h"
#include "client/approval/core/sed_reading.h"
#include "client/approval/core/shell_reading.h"
#include "client/approval/core/spellings.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

/// Levels of wrappers, and commands in all: beyond them the rest is a doubt, and each word of it a
/// guess.
constexpr int kLevelsMax = 16;
constexpr std::size_t kCommandsMax = 4096;
/// Words of one command that are tried as the beginning of another.
constexpr std::size_t kGuessesMax = 512;
/// Letters of a script of sed that are tried as its command that runs a program.
constexpr int kSedCommandsMax = 64;

using Words = std::vector<std::string>;

std::string joined(const Words& words, std::size_t begin) {
  std::string text;
  for (std::size_t i = begin; i < words.size(); ++i) {
    if (!text.empty()) text += ' ';
    text += words[i];
  }
  return text;
}

/// --dry_run is --dry-run, for programs that take both.
void write_with_dashes(Words& words) {
  for (std::string& word : words) {
    if (!word.starts_with("--")) continue;
    std::replace(word.begin(),
                 word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())),
                 '_', '-');
  }
}

bool is_variable(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 && word.find('/') > equals && word[0] != '-';
}

class ArgvReader {
 public:
  ArgvReading read(const Words& argv) {
    pending_.push_back({argv, 0, true, false});
    while (!pending_.empty()) {
      Found found = std::move(pending_.back());
      pending_.pop_back();
      look(std::move(found));
    }
    for (const std::string& text : doubts_) out_.doubts.push_back(text);
    return std::move(out_);
  }

 private:
  struct Found {
    Words words;
    int level = 0;
    bool is_plain = true;
    bool is_guess = false;
  };

  void look(Found found) {
    if (found.words.empty()) return;
    if (out_.commands.size() >= kCommandsMax || found.level > kLevelsMax) {
      doubt("it nests too many commands");
      found.is_guess = true;
      found.is_plain = false;
      if (out_.commands.size() < 4 * kCommandsMax) guess_all(found, 0);
      return;
    }
    const std::string program = program_name(found.words[0]);
    if (program == "kubectl" || program == "oc") write_with_dashes(found.words);
    out_.commands.push_back({found.words, found.is_plain, found.is_guess, false});
    const std::size_t self = out_.commands.size() - 1;
    if (is_shell(program)) {
      look_at_shell(found, program);
    } else if (program == "eval" || program == "source" || program == "." || program == "trap" ||
               program == "alias") {
      script(joined(found.words, 1), found.level, program);
    } else if (is_interpreter(program)) {
      doubt(fmt::format("{} runs what it is given", excerpt(program, 40)));
      if (program == "npx" || program == "bunx" || program == "uvx" || program == "pipx") {
        guess_all(found, 1);
      }
    } else if (const WrapperModel* model = find_wrapper(program)) {
      look_through(found, *model, self);
    } else {
      look_for_options(found, program);
      look_for_escapes(found, program);
      look_for_scripts(found, program);
      if (!found.is_guess) look_for_program(found, program);
    }
  }

  /// sh -c SCRIPT, sh FILE, sh -lc SCRIPT; everything behind could be the script.
  void look_at_shell(const Found& found, const std::string& program) {
    doubt(fmt::format("{} runs a script", excerpt(program, 40)));
    for (std::size_t i = 1; i < found.words.size(); ++i) {
      const std::string& word = found.words[i];
      if (word.size() > 1 && (word[0] == '-' || word[0] == '+') &&
          word.find_first_of(" \n;|&") == std::string::npos) {
        continue;
      }
      script(word, found.level, program);
    }
  }

  void script(std::string_view text, int level, std::string_view program) {
    ShellReading reading = read_shell(text);
    for (const std::string& what : reading.doubts) {
      doubt(fmt::format("the script for {} has {}", excerpt(program, 40), what));
    }
    for (auto one = reading.commands.rbegin(); one != reading.commands.rend(); ++one) {
      pending_.push_back({std::move(*one), level + 1, false, false});
    }
  }

  void look_through(const Found& found, const WrapperModel& model, std::size_t self) {
    std::size_t at = 1;
    bool is_clear = true;
    for (; at < found.words.size(); ++at) {
      const std::string& word = found.words[at];
      if (word == "--") {
        ++at;
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        if (word != "-" || !has_word(model.flags, "-")) break;
        continue;
      }
      const int taken = option_words(found, model, at);
      if (taken < 0) is_clear = false;
      if (taken > 1) ++at;
    }
    at = std::min(at + static_cast<std::size_t>(model.operands), found.words.size());
    if (at + 1 < found.words.size() && has_word(model.scripts, found.words[at])) {
      script(found.words[at + 1], found.level, model.name);  // flock FILE -c SCRIPT
    }
    bool has_variables = false;
    while (model.assigns && at < found.words.size() && is_variable(found.words[at])) {
      has_variables = true;
      ++at;
    }
    if (has_variables) doubt(fmt::format("{} sets variables", model.name));
    const bool is_transparent = model.is_transparent && is_clear;
    if (!is_transparent) doubt(fmt::format("{} runs another program", model.name));
    if (!is_clear) {
      doubt(fmt::format("an option of {} is not known here", model.name));
      guess_all(found, 1);
    }
    if (at >= found.words.size()) return;
    out_.commands[self].is_transparent = is_transparent;
    if (model.joins) {
      script(joined(found.words, at), found.level, model.name);
      return;
    }
    pending_.push_back(
        {Words(found.words.begin() + static_cast<std::ptrdiff_t>(at), found.words.end()),
         found.level + 1, found.is_plain && is_transparent, found.is_guess});
  }

  /// How many words the option at `at` takes; -1: it is not known.
  int option_words(const Found& found, const WrapperModel& model, std::size_t at) {
    const std::string& word = found.words[at];
    const std::string next = at + 1 < found.words.size() ? found.words[at + 1] : "";
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, word.starts_with("--") ? equals : std::string::npos);
    if (has_word(model.scripts, name)) {
      const bool is_attached = name.size() < word.size();
      script(is_attached ? word.substr(name.size() + 1) : next, found.level, model.name);
      return is_attached ? 1 : 2;
    }
    if (has_word(model.valued, name)) return name.size() < word.size() ? 1 : 2;
    if (has_word(model.flags, name)) return 1;
    if (word.starts_with("--")) return -1;
    for (std::size_t i = 1; i < word.size(); ++i) {  // A cluster of letters.
      const std::string letter = {'-', word[i]};
      const bool is_last = i + 1 == word.size();
      if (has_word(model.scripts, letter)) {
        script(is_last ? next : word.substr(i + 1), found.level, model.name);
        return is_last ? 2 : 1;
      }
      if (has_word(model.valued, letter)) return is_last ? 2 : 1;
      if (!has_word(model.flags, letter)) return -1;
    }
    return 1;
  }

  /// 1e PROGRAM: its first word is behind the command, which may stand anywhere.
  void look_at_sed(const std::string& text, int level) {
    doubt("what sed is given may run programs or write files");
    value(text, level);
    int tried = 0;
    for (std::size_t at = text.find('e'); at != std::string::npos && tried < kSedCommandsMax;
         at = text.find('e', at + 1), ++tried) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      value(text.substr(at + 1, end - at - 1), level);
    }
  }

  /// sed '1e SCRIPT'  less +!SCRIPT  make X='$(shell SCRIPT)'
  void look_for_scripts(const Found& found, const std::string& program) {
    const auto may_run = [&](const std::string& text) {
      doubt(fmt::format("what {} is given may run programs or write files", excerpt(program, 40)));
      value(text, found.level);
    };
    if (program == "sed" || program == "gsed") {
      const SedArguments arguments = read_sed_arguments(found.words);
      if (!arguments.is_clear) {
        doubt("an option of sed is not known here");
        guess_all(found, 1);
      }
      for (const std::string& text : arguments.scripts) {
        if (!is_plain_sed(text)) look_at_sed(text, found.level);
      }
      return;
    }
    for (std::size_t i = 1; i < found.words.size(); ++i) {
      const std::string& word = found.words[i];
      const bool is_pager = program == "less" || program == "more" || program == "most";
      const bool is_expanded = has_free_order(program) && (word.find("$(") != std::string::npos ||
                                                           word.find("${") != std::string::npos);
      if (is_pager && word.starts_with('+')) {
        may_run(word.substr(1));
      } else if (is_expanded) {
        may_run(word);
        const std::size_t shell = word.find("shell ");
        if (shell != std::string::npos) value(word.substr(shell + 6), found.level);
      }
    }
  }

  /// npm exec, kubectl exec, docker run: what is behind it is a program. Of a program that nobody
  /// has described here each word may be one, for rules that deny.
  void look_for_program(const Found& found, const std::string& program) {
    if (std::string why = unknown_verb(program, found.words); !why.empty()) {
      doubt(std::move(why));
      guess_all(found, 1);
    }
    if (runs_by_verb(program, found.words)) {
      doubt(fmt::format("{} runs another program", excerpt(program, 40)));
    } else if (is_described(program)) {
      return;
    }
    guess_all(found, 1);
    for (std::size_t i = 1; i < found.words.size() && i < kGuessesMax; ++i) {
      if (found.words[i].find_first_of(" \t\n") != std::string::npos) {
        value(found.words[i], found.level);
      }
    }
  }

  /// find -exec PROGRAM ... ;
  void look_for_options(const Found& found, const std::string& program) {
    static constexpr std::string_view kExec = "-exec -execdir -ok -okdir -x -X --exec --exec-batch";
    if (program != "find" && program != "fd" && program != "fdfind") return;
    for (std::size_t i = 1; i < found.words.size(); ++i) {
      if (!has_word(kExec, found.words[i])) continue;
      doubt(fmt::format("{} {} runs another program", program, found.words[i]));
      const auto begin = found.words.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const auto end = std::find_if(begin, found.words.end(), [](const std::string& one) {
        return one == ";" || one == "+";
      });
      pending_.push_back({Words(begin, end), found.level + 1, false, found.is_guess});
    }
  }

  /// split --filter=SCRIPT, git -c alias.x=!SCRIPT, rsync -e SCRIPT: what the option is given may
  /// be a command.
  void look_for_escapes(const Found& found, const std::string& program) {
    if (!found.is_guess && writes_operand(program, found.words)) {
      doubt(fmt::format("{} writes the file that its second operand names", program));
    }
    for (std::size_t i = 1; i < found.words.size(); ++i) {
      if (!is_escape(program, found.words, i)) continue;
      const std::string& word = found.words[i];
      const std::size_t equals = word.find('=');
      if (!found.is_guess) {
        doubt(fmt::format("{} of {} may run another program, read settings or write a file",
                          excerpt(word.substr(0, equals), 40), excerpt(program, 40)));
      }
      if (equals != std::string::npos) value(word.substr(equals + 1), found.level);
      if (word.size() > 2 && word[1] != '-') value(word.substr(2), found.level);  // -Oshell
      if (i + 1 < found.words.size()) value(found.words[i + 1], found.level);
    }
  }

  /// The value of an option that may be a command: only to be denied.
  void value(const std::string& text, int level) {
    std::string_view rest = text;
    for (const std::string_view prefix : {"exec=", "!"}) {
      const std::size_t at = rest.find(prefix);
      if (at != std::string_view::npos) rest = rest.substr(at + prefix.size());
    }
    const std::size_t equals = rest.find('=');
    for (const std::string_view part :
         {rest, equals == std::string_view::npos ? std::string_view() : rest.substr(equals + 1)}) {
      for (Words& one : read_shell(part).commands) {
        pending_.push_back({std::move(one), level + 1, false, true});
      }
    }
  }

  void guess_all(const Found& found, std::size_t begin) {
    const std::size_t end = std::min(found.words.size(), begin + kGuessesMax);
    for (std::size_t i = begin; i < end; ++i) {
      SeenCommand one;
      one.words.assign(found.words.begin() + static_cast<std::ptrdiff_t>(i), found.words.end());
      if (one.words.size() > 64) one.words.resize(64);
      one.is_plain = false;
      one.is_guess = true;
      out_.commands.push_back(std::move(one));
    }
  }

  void doubt(std::string text) { doubts_.insert(std::move(text)); }

  ArgvReading out_;
  std::vector<Found> pending_;
  std::set<std::string> doubts_;
};

}  // namespace

std::string program_name(const std::string& word) {
  const std::size_t end = word.find_last_not_of('/');
  if (end == std::string::npos) return word;
  const std::size_t slash = word.find_last_of('/', end);
  return word.substr(slash == std::string::npos ? 0 : slash + 1, end + 1 - (slash + 1));
}

ArgvReading read_argv(const std::vector<std::string>& argv) { return ArgvReader().read(argv); }

bool is_known_program(const std::string& word) {
  const std::size_t slash = word.rfind('/');
  if (slash != std::string::npos &&
      !has_word("/bin /sbin /usr/bin /usr/sbin /usr/local/bin", word.substr(0, slash))) {
    return false;
  }
  return is_described(program_name(word));
}

bool is_understood(const ArgvReading& reading) {
  return !reading.commands.empty() && reading.doubts.empty() &&
         std::all_of(reading.commands.begin(), reading.commands.end(),
                     [](const SeenCommand& command) {
                       return command.is_plain &&
                              (command.is_transparent || is_known_program(command.words.front()));
                     });
}

}  // namespace filecall::client
