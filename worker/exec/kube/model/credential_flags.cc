// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/value_looks.h"

namespace filecall::worker::kube {
namespace {

/// A flag with which a program takes a credential.
struct CredentialFlag {
  enum class How : std::uint8_t {
    kNext,      ///< The word behind it.
    kAttached,  ///< What is written to it.
    kPair,      ///< The word behind it, what follows its colon.
    kBehind,    ///< What follows this beginning of a word.
    kLast,      ///< The last word.
  };
  std::string_view program, flag;
  How how;
};
using How = CredentialFlag::How;
constexpr std::array kFlags = std::to_array<CredentialFlag>({
    {"mysql", "-p", How::kAttached},
    {"mysqldump", "-p", How::kAttached},
    {"mysqladmin", "-p", How::kAttached},
    {"mariadb", "-p", How::kAttached},
    {"mariadb-dump", "-p", How::kAttached},
    {"mongo", "-p", How::kNext},
    {"mongosh", "-p", How::kNext},
    {"mongodump", "-p", How::kNext},
    {"docker", "-p", How::kNext},
    {"podman", "-p", How::kNext},
    {"helm", "-p", How::kNext},
    {"sshpass", "-p", How::kNext},
    {"sshpass", "-p", How::kAttached},
    {"redis-cli", "-a", How::kNext},
    {"redis-cli", "--pass", How::kNext},
    {"ldapsearch", "-w", How::kNext},
    {"ldapadd", "-w", How::kNext},
    {"ldapmodify", "-w", How::kNext},
    {"ldapwhoami", "-w", How::kNext},
    {"curl", "-u", How::kPair},
    {"curl", "--user", How::kPair},
    {"curl", "-U", How::kPair},
    {"keytool", "-storepass", How::kNext},
    {"keytool", "-keypass", How::kNext},
    {"openssl", "pass:", How::kBehind},
    {"htpasswd", "-b", How::kLast},
    {"htpasswd", "-bc", How::kLast},
    {"htpasswd", "-cb", How::kLast},
    {"htpasswd", "-nb", How::kLast},
    {"htpasswd", "-nbB", How::kLast},
    {"mc", "alias", How::kLast},
    {"smbclient", "-U", How::kPair},
    {"openssl", "-k", How::kNext},
    {"vault", "login", How::kNext},
    {"vault", "unseal", How::kNext},
    {"mosquitto_pub", "-P", How::kNext},
    {"mosquitto_sub", "-P", How::kNext},
    {"sqlcmd", "-P", How::kNext},
    {"zip", "-P", How::kNext},
    {"unzip", "-P", How::kNext},
    {"ssh-keygen", "-N", How::kNext},
    {"aws", "aws_secret_access_key", How::kNext},
    {"rabbitmqctl", "add_user", How::kLast},
    {"rabbitmqctl", "change_password", How::kLast},
    {"", "--basic-auth", How::kPair},
    {"", "--user", How::kPair},
});

std::string_view bare(std::string_view word) {
  while (!word.empty() && (word.front() == '"' || word.front() == '\'')) word.remove_prefix(1);
  while (!word.empty() && (word.back() == '"' || word.back() == '\'' || word.back() == ')' ||
                           word.back() == ']' || word.back() == ';')) {
    word.remove_suffix(1);
  }
  return word;
}

/// "/usr/bin/mysql" and "[mysql": mysql.
std::string_view program_of(std::string_view word) {
  word = bare(word);
  while (word.starts_with('[') || word.starts_with('(')) word.remove_prefix(1);
  word = bare(word);
  const std::size_t slash = word.rfind('/');
  return slash == word.npos ? word : word.substr(slash + 1);
}

bool is_value(std::string_view value) {
  return !value.empty() && value.front() != '-' && !is_reference_value(value) &&
         value.front() != '$';
}

class Command {
 public:
  Command(const std::vector<std::string_view>& words, std::vector<WordSpan>& out)
      : words_(words), out_(out) {}

  void find() {
    std::array<bool, kFlags.size()> is_wanted{};
    for (std::size_t i = 0; i < kFlags.size(); ++i) is_wanted[i] = kFlags[i].program.empty();
    bool has_pairs = false, has_input = false;
    for (const std::string_view word : words_) {
      const std::string_view program = program_of(word);
      for (std::size_t i = 0; i < kFlags.size(); ++i) {
        is_wanted[i] = is_wanted[i] || kFlags[i].program == program;
      }
      has_pairs = has_pairs || program == "chpasswd";
      has_input = has_input || program == "--password-stdin";
    }
    if (has_pairs) echoed(':');
    if (has_input) echoed('\0');
    for (std::size_t i = 0; i < kFlags.size(); ++i) {
      if (is_wanted[i]) look(kFlags[i]);
    }
    named();
  }

 private:
  void hide(std::size_t word, std::string_view part) {
    const auto begin = static_cast<std::size_t>(part.data() - words_[word].data());
    out_.push_back({word, {begin, begin + part.size()}});
  }

  void look(const CredentialFlag& flag) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string_view word = bare(words_[i]);
      if (flag.how == How::kBehind || flag.how == How::kAttached) {
        const std::string_view value = bare(word.substr(std::min(flag.flag.size(), word.size())));
        if (word.starts_with(flag.flag) && is_value(value)) hide(i, value);
        continue;
      }
      if (word != flag.flag || i + 1 >= words_.size()) continue;
      const std::size_t at = flag.how == How::kLast ? words_.size() - 1 : i + 1;
      const std::string_view value = bare(words_[at]);
      const std::size_t colon = value.find(':');
      if (flag.how == How::kPair) {
        if (colon != value.npos && colon > 0 && is_value(value.substr(colon + 1))) {
          hide(at, value.substr(colon + 1));
        }
      } else if (is_value(value) && (!is_common(flag.flag) || looks_random(value)) &&
                 (flag.how != How::kLast || at > i + 2)) {
        hide(at, value);
      }
    }
  }

  /// Words and flags that mean something else elsewhere.
  static bool is_common(std::string_view flag) {
    return flag == "-p" || flag == "-k" || flag == "-P" || flag.front() != '-';
  }

  /// "--db-password x", whatever the program.
  void named() {
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      const std::string_view flag = bare(words_[i]);
      if (!flag.starts_with("--") || flag.find('=') != flag.npos) continue;
      const std::string_view value = bare(words_[i + 1]);
      if (is_value(value) && looks_random(value) && may_be_credential_name(flag) &&
          !credential_word(flag, NamePlace::kVariable, value).empty()) {
        hide(i + 1, value);
      }
    }
  }

  /// What `echo` gives to a program that reads a password.
  void echoed(char sign) {
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      const std::string_view program = program_of(words_[i]);
      if (program != "echo" && program != "printf") continue;
      const std::string_view value = bare(words_[i + 1]);
      const std::size_t at = sign == '\0' ? 0 : value.find(sign) + 1;
      if (at <= value.size() && is_value(value.substr(at))) hide(i + 1, value.substr(at));
    }
  }

  const std::vector<std::string_view>& words_;
  std::vector<WordSpan>& out_;
};

}  // namespace

std::vector<WordSpan> find_credential_flags(const std::vector<std::string_view>& words) {
  std::vector<WordSpan> out;
  Command(words, out).find();
  return out;
}

void find_credential_flags(std::string_view text, std::vector<TextSpan>& spans) {
  const auto holds = [text](std::string_view part) { return text.find(part) != text.npos; };
  if (!holds(" -") && !holds("pass:") && !holds("chpasswd") && !holds("mc alias") &&
      !holds("vault ") && !holds("rabbitmqctl ") && !holds("aws_secret_access_key ")) {
    return;
  }
  std::vector<std::string_view> words;
  const auto end_command = [&] {
    for (const WordSpan& found : find_credential_flags(words)) {
      const auto at = static_cast<std::size_t>(words[found.word].data() - text.data());
      spans.push_back({at + found.span.begin, at + found.span.end});
    }
    words.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n' || text[at] == ';' || text[at] == '>' || text[at] == '<') end_command();
    if (text[at] == '&' || static_cast<unsigned char>(text[at]) <= ' ' || text[at] == ';') {
      if (text[at] == '&') end_command();
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' && text[end] != ';')
      ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  end_command();
}

}  // namespace filecall::worker::kube
