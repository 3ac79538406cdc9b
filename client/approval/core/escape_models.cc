// SPDX-License-Identifier: MIT
// What an option can do beside its program's own work.
#include "client/approval/core/escape_models.h"

#include <algorithm>

#include "client/approval/core/program_models.h"

namespace filecall::client {
namespace {

/// Options that begin with one dash and have names of more than one letter. `kAttached`: a value
/// may follow the name at once (-Bdir, -Wl,x).
constexpr std::string_view kNamedByOneDash =
    "find go gofmt ip openssl terraform tofu xmllint tsc nmap java javac ctest mvn mvnw zip xxd";
constexpr std::string_view kAttached = "gcc g++ cc c++ clang clang++ cpp ld java javac mvn mvnw";
/// They take long options by their whole names alone.
constexpr std::string_view kNeverShortened =
    "cargo rustc rustfmt kubectl oc helm docker podman ruff rg fd fdfind bat batcat";

/// Their words are texts, whatever these look like.
constexpr std::string_view kPrinters =
    "echo printf true false test [ expr yes basename dirname seq factor";

/// Operands of the form @FILE hold more arguments.
constexpr std::string_view kTakesNoFileOfWords =
    "git npm pnpm yarn docker podman kubectl oc helm grep egrep fgrep rg ag ack find fd ls cat "
    "which whereis getent id who ssh scp sftp rsync dig host nslookup systemctl journalctl jq yq";

/// Names of options that say so themselves, in any program: as a part of the name, and as one of
/// its words.
constexpr std::string_view kTellingParts[] = {
    "exec",     "command", "plugin", "config",    "output",   "pager",    "editor",   "shell",
    "hook",     "preload", "loader", "bootstrap", "rcfile",   "outdir",   "outfile",  "logfile",
    "log-file", "log-dir", "setup",  "cache-dir", "cachedir", "rulesdir", "registry", "workdir"};
constexpr std::string_view kTellingWords =
    "script scripts eval init cmd program prog tool wrapper driver runner launcher agent require "
    "rules preset presets reporter reporters module modules load import extension extensions "
    "compiler linker interpreter cwd chdir root rootdir directory dump write save export dest "
    "destination upload post proxy env setenv template transform resolver serializer environment "
    "inspect rsh report stats trace attestation";
/// They do not, though they sound like it.
constexpr std::string_view kHarmlessNames =
    "output-delimiter output-separator output-width output-duplicates output-indicator-new "
    "output-indicator-old output-indicator-context output-on-failure import-mode setup-show "
    "setup-plan setup-only "
    "execution-time executable";
/// Here --output is the form of what is printed, and --directory is about what is listed.
constexpr std::string_view kOutputIsForm =
    "kubectl oc helm systemctl journalctl lsblk lscpu blkid findmnt az gh";

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return out;
}

std::string_view without_dashes(std::string_view option) {
  const std::size_t begin = option.find_first_not_of('-');
  return begin == std::string_view::npos ? std::string_view() : option.substr(begin);
}

/// What stands before the value.
std::string_view option_name(std::string_view word) {
  return word.substr(0, word.find_first_of("=:"));
}

/// Both are options, and one is the other with a value attached, or shortened as getopt_long does.
bool is_spelling(std::string_view program, std::string_view option, std::string_view word) {
  if (word == option) return true;
  const std::string_view name = option_name(word);
  if (option.starts_with("--")) {
    // -output of xmllint is its --output.
    if (!word.starts_with("--") && !has_word(kNamedByOneDash, program)) return false;
    const std::string given = in_small_letters(without_dashes(name));
    const std::string wanted = in_small_letters(without_dashes(option));
    const bool may_shorten = word.starts_with("--") && !has_word(kNeverShortened, program);
    return may_shorten ? !given.empty() && wanted.starts_with(given) : given == wanted;
  }
  if (has_word(kAttached, program)) return word.starts_with(option);
  if (has_word(kNamedByOneDash, program)) return without_dashes(name) == without_dashes(option);
  if (word.starts_with("--")) return false;
  // -oFILE, -xzIzstd: a letter anywhere in a cluster of short options.
  if (option.size() == 2 && word.size() > 2) {
    // -ojson of kubectl: the letter has the rest as its value.
    if (has_word("kubectl oc helm", program) &&
        std::string_view("onlf").find(word[1]) != word.npos) {
      return option[1] == word[1];
    }
    return word.find(option[1], 1) != std::string_view::npos;
  }
  return name == option;
}

bool is_in_table(std::string_view program, const std::vector<std::string>& words, std::size_t at) {
  std::string_view word = words[at];
  std::string plain;
  if (program == "go" && word.find("test.") != word.npos) {  // -test.outputdir
    plain = "-" + std::string(word.substr(word.find("test.") + 5));
    word = plain;
  }
  // A verb stands near the program; time is linear in the words.
  const auto before = words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(at, 64));
  for (const EscapeRow& row : escape_rows()) {
    if (!has_word(row.programs, program) && !has_word(row.programs, unversioned(program))) continue;
    if (!row.verb.empty() && std::find(words.begin(), before, row.verb) == before) continue;
    for (std::size_t begin = 0; begin < row.words.size();) {
      const std::size_t end = std::min(row.words.find(' ', begin), row.words.size());
      if (is_spelling(program, row.words.substr(begin, end - begin), word)) return true;
      begin = end + 1;
    }
  }
  return false;
}

/// --config, --output-file, --some-plugin=x: what the name says, for programs and options that no
/// table has.
bool is_telling(std::string_view program, std::string_view word) {
  if (!word.starts_with("--") || has_word(kPrinters, program)) return false;
  const std::string name = in_small_letters(without_dashes(option_name(word)));
  if (name.starts_with("no-") || has_word(kHarmlessNames, name)) return false;
  if (name == "output" && has_word(kOutputIsForm, program)) return false;
  if (name == "directory" && program == "ls") return false;
  for (const std::string_view part : kTellingParts) {
    if (name.find(part) != std::string::npos) return true;
  }
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of("-_.", begin), name.size());
    if (has_word(kTellingWords, std::string_view(name).substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

/// HOST:FILE, as tar, rsync and scp take it.
bool is_remote_place(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && colon > 0 && text.find('/') > colon;
}

bool is_escaping_operand(std::string_view program, const std::vector<std::string>& words,
                         std::size_t at) {
  const std::string& word = words[at];
  if (word.starts_with("@") && word.size() > 1 && !has_word(kPrinters, program) &&
      !has_word(kTakesNoFileOfWords, program)) {
    return true;
  }
  // ext::sh -c x: a helper for a transport.
  if (program == "git") return word.find("::") != std::string::npos;
  // The old form of tar's options: tar xIf.
  if (program == "tar" && at == 1 && word.find_first_of("IFCTgP") != std::string::npos) return true;
  // SHELL=..., MAKEFLAGS=...: variables that make hands on.
  return has_free_order(program) && word.find('=') != std::string::npos;
}

/// git -C DIR, -c NAME=VALUE and -p (the pager, whatever it is) before the verb. Behind it these
/// letters are others: git diff -C, git switch -c.
bool is_global_of_git(const std::vector<std::string>& words, std::size_t at) {
  const std::string& word = words[at];
  if (!word.starts_with("-C") && !word.starts_with("-c") && word != "-p") return false;
  bool is_clear = true;
  return at < verb_place(words, *find_verb_program("git"), false, is_clear) || !is_clear;
}

}  // namespace

bool is_escape(std::string_view program, const std::vector<std::string>& words, std::size_t at) {
  const std::string& word = words[at];
  if (program == "git") {
    if (word.find("%G") != std::string::npos) return true;  // A format that runs gpg.
    if (is_global_of_git(words, at)) return true;
  }
  if ((program == "tar" || program == "cpio" || program == "rsync") &&
      is_remote_place(word.starts_with('-') && word.find('=') != std::string::npos
                          ? std::string_view(word).substr(word.find('=') + 1)
                          : std::string_view(word))) {
    return true;
  }
  if (word.size() < 2 || word[0] != '-') return is_escaping_operand(program, words, at);
  return is_unknown_option(program, word) || is_in_table(program, words, at) ||
         is_telling(program, word);
}

}  // namespace filecall::client
