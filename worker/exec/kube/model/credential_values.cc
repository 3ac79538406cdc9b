// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/credential_values.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/credential_words.h"
#include "base/token_formats.h"
#include "worker/exec/kube/model/hook_addresses.h"
#include "worker/exec/kube/model/text_runs.h"
#include "worker/exec/kube/model/value_looks.h"
#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kWebToken = credential_words::kWebTokenBeginning;
/// What announces a credential, in small letters: the rest of the line, a key, a scheme with a
/// token after a blank, a field with a long value.
constexpr std::string_view kAuthorization = "authorization:";
constexpr std::string_view kAccountKey = "accountkey=";
constexpr std::array kSchemes = std::to_array<std::string_view>({"bearer", "basic"});
/// Passwords that were hashed: short ones can be guessed from them.
constexpr std::array kHashes =
    std::to_array<std::string_view>({"$2a$", "$2b$", "$2y$", "$apr1$", "$1$", "$5$", "$6$",
                                     "$argon2", "$pbkdf2", "{SHA}", "{SSHA}"});
/// A key of Firebase: what it begins with, and at least how long its two parts are.
constexpr std::string_view kFirebaseBeginning = "AAAA";
constexpr std::size_t kSenderBytes = 11;
constexpr std::size_t kSenderKeyBytes = 40;
constexpr std::array kFields = std::to_array<std::string_view>({"-key-data:", "token:"});

/// First two bytes of everything that is looked for at the beginning of a word: nothing begins so
/// at most places of a text.
class Beginnings {
 public:
  constexpr Beginnings() {
    for (const TokenFormat& format : kTokenFormats) add(format.beginning[0], format.beginning[1]);
    for (const std::string_view beginning : kHashes) add(beginning[0], beginning[1]);
    add(kWebToken[0], kWebToken[1]);
    add(kFirebaseBeginning[0], kFirebaseBeginning[1]);
    add_announcement(kAuthorization);
    add_announcement(kAccountKey);
    for (const std::string_view scheme : kSchemes) add_announcement(scheme);
    for (const std::string_view field : kFields) add_announcement(field);
  }
  constexpr bool are_at(std::string_view text, std::size_t at) const {
    return at + 1 < text.size() &&
           (bits_[byte(text[at])][byte(text[at + 1]) / 64] >> (byte(text[at + 1]) % 64) & 1) != 0;
  }

 private:
  static constexpr std::size_t byte(char c) { return static_cast<unsigned char>(c); }
  static constexpr char capital(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  constexpr void add(char first, char second) {
    bits_[byte(first)][byte(second) / 64] |= std::uint64_t{1} << (byte(second) % 64);
  }
  /// Of a text in small letters, in either case.
  constexpr void add_announcement(std::string_view text) {
    add(text[0], text[1]);
    add(text[0], capital(text[1]));
    add(capital(text[0]), text[1]);
    add(capital(text[0]), capital(text[1]));
  }
  std::array<std::array<std::uint64_t, 4>, 256> bits_{};
};
constexpr Beginnings kBeginnings;

bool is_base64_char(char c) {
  return is_token_char(c) || c == '+' || c == '/' || c == '=' || c == '.' || c == '~';
}
bool is_plain_base64_char(char c) {
  return (is_token_char(c) && c != '-' && c != '_') || c == '+' || c == '/' || c == '=';
}
bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

template <typename Is>
std::size_t run_end(std::string_view text, std::size_t begin, Is is) {
  while (begin < text.size() && is(text[begin])) ++begin;
  return begin;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

bool follows(std::string_view text, std::size_t at, std::string_view lower) {
  return equals_ignoring_case(text.substr(at, lower.size()), lower);
}

constexpr std::string_view kPemEnd = "-----END ";

/// Where the line begins that `end` stands in or behind; `limit` at least.
std::size_t line_begin(std::string_view text, std::size_t limit, std::size_t end) {
  return limit + text.substr(limit, end - limit).rfind('\n') + 1;  // npos + 1 is 0.
}

/// Where the lines of a key begin that end at `end`, though not its first line: a log or an output
/// of which older lines were not asked for may begin in one. A line may have a time before it.
std::size_t key_lines_begin(std::string_view text, std::size_t end, std::size_t limit) {
  constexpr std::size_t kLineBytes = 40;  // All lines of a key but the last one have more.
  std::size_t begin = end;
  bool is_last = true;
  while (begin > limit) {
    const std::size_t from = line_begin(text, limit, begin - 1);
    std::string_view word = text.substr(from, begin - from);
    while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
    const std::size_t blank = word.find_last_of(" \t\"'");
    if (blank != word.npos) word.remove_prefix(blank + 1);
    const bool is_of_key = std::all_of(word.begin(), word.end(), is_plain_base64_char);
    if (!is_of_key || word.size() < (is_last ? 1 : kLineBytes)) break;
    begin = from;
    is_last = false;
  }
  return begin;
}

/// A block whose first line is missing, up to `end`.
void find_rest_of_key(std::string_view text, std::size_t from, std::size_t end,
                      std::vector<TextSpan>& spans) {
  for (std::size_t at = from; (at = text.find(kPemEnd, at)) < end; from = at) {
    const std::size_t line = line_begin(text, from, at);
    const std::string_view label = text.substr(at, 100);
    const std::size_t label_end = label.find("-----", kPemEnd.size());
    const std::size_t begin = key_lines_begin(text, line, from);
    if (begin < line && label.substr(0, label_end).find("PRIVATE KEY") != label.npos) {
      spans.push_back({begin, line});
    }
    at += kPemEnd.size();
  }
}

void find_private_keys(std::string_view text, std::vector<TextSpan>& spans) {
  constexpr std::string_view kBegin = credential_words::kPemBeginning;
  std::size_t last = 0;
  for (std::size_t at = 0; (at = text.find(kBegin, at)) != std::string_view::npos;) {
    const std::size_t label_end = text.find("-----", at + kBegin.size());
    const std::string_view label =
        text.substr(at, std::min(label_end, at + 100) - at);  // No label is longer.
    if (label.find("PRIVATE KEY") == std::string_view::npos) {
      at += kBegin.size();
      continue;
    }
    find_rest_of_key(text, last, at, spans);
    std::size_t end = text.find(kPemEnd, at);
    end = end == std::string_view::npos ? end : text.find("-----", end + kPemEnd.size());
    end = end == std::string_view::npos ? text.size() : end + 5;
    spans.push_back({at, end});
    last = at = end;
  }
  find_rest_of_key(text, last, text.size(), spans);
}

/// "user:password@tcp(host)", as Go's MySQL driver takes it.
void find_dsn_passwords(std::string_view text, std::vector<TextSpan>& spans) {
  for (const std::string_view host : {"@tcp(", "@unix(", "@tcp6("}) {
    std::size_t colon = text.npos;  // The last one before `at`, and whether a blank follows it.
    bool has_blank = false;
    std::size_t seen = 0;
    for (std::size_t at = 0; (at = text.find(host, at)) != text.npos; ++at) {
      for (; seen < at; ++seen) {
        if (text[seen] == ':') {
          colon = seen;
          has_blank = false;
        } else {
          has_blank = has_blank || is_blank(text[seen]);
        }
      }
      if (colon == text.npos || colon + 1 >= at || has_blank) continue;
      const std::string_view secret = text.substr(colon + 1, at - colon - 1);
      if (!is_reference_value(judged_part(secret))) spans.push_back({colon + 1, at});
    }
  }
}

/// Where the formats begin that begin with this byte.
constexpr auto kFormatBegins = [] {
  std::array<std::size_t, 257> begins{};
  std::size_t next = 0;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    begins[byte] = next;
    while (next < kTokenFormats.size() &&
           static_cast<unsigned char>(kTokenFormats[next].beginning.front()) == byte) {
      ++next;
    }
  }
  begins[256] = next;
  return begins;
}();
static_assert(kFormatBegins[256] == kTokenFormats.size(), "sorted by the beginning");

/// The signature of an address that lets everybody in who knows it.
void find_signatures(std::string_view text, std::vector<TextSpan>& spans) {
  constexpr std::array kNames = std::to_array<std::string_view>(
      {"sig=", "signature=", "x-amz-signature=", "x-goog-signature="});
  constexpr std::size_t kSignatureBytes = 20;
  for (std::size_t at = 0; (at = text.find_first_of("?&", at)) != text.npos;) {
    ++at;
    for (const std::string_view name : kNames) {
      if (!follows(text, at, name)) continue;
      const std::size_t begin = at + name.size();
      const std::size_t end =
          run_end(text, begin, [](char c) { return is_base64_char(c) || c == '%'; });
      const std::string_view value = text.substr(begin, end - begin);
      if (value.size() >= kSignatureBytes && std::any_of(value.begin(), value.end(), is_digit_char))
        spans.push_back({begin, end});
      at = end;
      break;
    }
  }
}

bool is_dotted_char(char c) { return is_token_char(c) || c == '.'; }
bool is_hash_char(char c) { return is_base64_char(c) || c == '$' || c == ','; }
bool is_no_digit(char c) { return !is_digit_char(c); }
bool is_of_header(char c) { return c != '\r' && c != '\n' && c != '"' && c != '\''; }

/// What is found at the beginnings of words, from left to right.
class AtWords {
 public:
  AtWords(std::string_view text, std::vector<TextSpan>& spans) : text_(text), spans_(spans) {}

  void look(std::size_t at) {
    std::size_t end = web_token_end(at);
    if (end == at) end = known_token_end(at);
    if (end == at) end = firebase_key_end(at);
    if (end == at) end = hash_end(at);
    if (end > at) spans_.push_back({at, end});
    const TextSpan span = announced(at);
    if (span.end > span.begin) spans_.push_back(span);
  }

 private:
  using Runs = TextRuns<bool (*)(char)>;

  /// Three parts in base64url with points between; the first is a JSON object.
  std::size_t web_token_end(std::size_t at) {
    if (!text_.substr(at).starts_with(kWebToken)) return at;
    const std::size_t first = header_.end(at);
    if (first - at < 10 || first >= text_.size() || text_[first] != '.') return at;
    const std::size_t second = payload_.end(first + 1);
    if (second - first < 10 || second >= text_.size() || text_[second] != '.') return at;
    return signature_.end(second + 1);
  }

  Runs& runs_of(TokenFormat::Alphabet alphabet) {
    if (alphabet == TokenFormat::Alphabet::kWord) return word_;
    return alphabet == TokenFormat::Alphabet::kDotted ? dotted_ : base64_;
  }

  std::size_t known_token_end(std::size_t at) {
    const auto first = static_cast<unsigned char>(text_[at]);
    for (std::size_t i = kFormatBegins[first]; i < kFormatBegins[first + 1U]; ++i) {
      const TokenFormat& format = kTokenFormats[i];
      if (!text_.substr(at).starts_with(format.beginning)) continue;
      const std::size_t begin = at + format.beginning.size();
      const std::size_t end = runs_of(format.alphabet).end(begin);
      // Without a digit it is a name that only begins alike ("sk-learn-classifier").
      if (end - begin >= format.rest_min && before_digit_.end(begin) < end) return end;
    }
    return at;
  }

  /// "AAAA...:APA91b...": the key by which Firebase knows a server.
  std::size_t firebase_key_end(std::size_t at) {
    if (!text_.substr(at).starts_with(kFirebaseBeginning)) return at;
    const std::size_t colon = sender_.end(at);
    if (colon - at < kSenderBytes || colon >= text_.size() || text_[colon] != ':') return at;
    const std::size_t end = sender_key_.end(colon + 1);
    return end - colon > kSenderKeyBytes ? end : at;
  }

  std::size_t hash_end(std::size_t at) {
    for (const std::string_view beginning : kHashes) {
      if (!text_.substr(at).starts_with(beginning)) continue;
      const std::size_t end = hash_.end(at + beginning.size());
      if (end - at >= 20) return end;
    }
    return at;
  }

  /// The rest of the line, unless its last word only names a credential.
  TextSpan of_header(std::size_t at) {
    const std::size_t begin =
        run_end(text_, at + kAuthorization.size(), [](char c) { return c == ' ' || c == '\t'; });
    const std::size_t end = line_.end(begin);
    if (begin < hidden_header_.end && begin >= hidden_header_.begin) return {at, at};
    const std::string_view value = text_.substr(begin, end - begin);
    const std::string_view tail = value.substr(value.size() - std::min(value.size(), kJudgedBytes));
    const std::size_t blank = tail.rfind(' ');
    // A longer word is no name.
    const bool is_short = blank != tail.npos || value.size() < kJudgedBytes;
    if (is_short && is_reference_value(blank == tail.npos ? tail : tail.substr(blank + 1))) {
      return {at, at};
    }
    return hidden_header_ = {begin, end};
  }

  /// What stands behind a word that announces a credential; `begin` when nothing does.
  TextSpan announced(std::size_t at) {
    if (follows(text_, at, kAuthorization)) return of_header(at);
    if (follows(text_, at, kAccountKey)) {
      const std::size_t begin = at + kAccountKey.size();
      return {begin, account_.end(begin)};
    }
    for (const std::string_view word : kSchemes) {
      if (!follows(text_, at, word) || at + word.size() >= text_.size() ||
          text_[at + word.size()] != ' ') {
        continue;
      }
      const std::size_t begin = run_end(text_, at + word.size(), [](char c) { return c == ' '; });
      const std::size_t end = run_end(text_, begin, is_base64_char);
      const std::string_view rest = text_.substr(begin, end - begin);
      // "Basic authentication failed" is a sentence.
      if (rest.size() >= 8 && rest.find_first_of("0123456789=") != std::string_view::npos) {
        return {begin, end};
      }
    }
    for (const std::string_view word : kFields) {
      if (!follows(text_, at, word)) continue;
      const std::size_t begin =
          run_end(text_, at + word.size(), [](char c) { return c == ' ' || c == '"'; });
      const std::size_t end = run_end(text_, begin, is_base64_char);
      const std::string_view rest = text_.substr(begin, end - begin);
      if (rest.size() >= 16 && std::any_of(rest.begin(), rest.end(), is_digit_char)) {
        return {begin, end};
      }
    }
    return {at, at};
  }

  std::string_view text_;
  std::vector<TextSpan>& spans_;
  TextSpan hidden_header_{0, 0};
  Runs header_{text_, is_token_char}, payload_{text_, is_token_char};
  Runs signature_{text_, is_token_char}, word_{text_, is_token_char};
  Runs sender_{text_, is_token_char}, sender_key_{text_, is_token_char};
  Runs dotted_{text_, is_dotted_char}, base64_{text_, is_base64_char};
  Runs account_{text_, is_base64_char}, hash_{text_, is_hash_char};
  Runs before_digit_{text_, is_no_digit}, line_{text_, is_of_header};
};

void find_url_passwords(std::string_view text, std::vector<TextSpan>& spans) {
  for (std::size_t at = 0; (at = text.find("://", at)) != std::string_view::npos;) {
    const std::size_t begin = at + 3;
    const std::size_t authority_end = run_end(
        text, begin, [](char c) { return !is_blank(c) && c != '/' && c != '"' && c != '\''; });
    const std::string_view authority = text.substr(begin, authority_end - begin);
    at = begin;
    const std::size_t user_end = authority.rfind('@');
    if (user_end == std::string_view::npos) continue;
    const std::size_t colon = authority.substr(0, user_end).find(':');
    const std::size_t password = colon == std::string_view::npos ? 0 : colon + 1;
    if (password >= user_end) continue;
    const std::string_view secret = authority.substr(password, user_end - password);
    // A name alone; of a page it is a token.
    if (colon == std::string_view::npos && !text.substr(0, begin - 3).ends_with("http") &&
        !text.substr(0, begin - 3).ends_with("https") && !looks_generated(secret)) {
      continue;
    }
    if (!is_reference_value(judged_part(secret)))
      spans.push_back({begin + password, begin + user_end});
  }
}

}  // namespace

bool may_begin_credential(std::string_view text) { return kBeginnings.are_at(text, 0); }

void find_credential_values(std::string_view text, std::vector<TextSpan>& spans) {
  find_private_keys(text, spans);
  if (text.find('/') != text.npos) {
    find_url_passwords(text, spans);
    find_hook_addresses(text, spans);
  }
  if (text.find('@') != text.npos) find_dsn_passwords(text, spans);
  if (text.find('?') != text.npos || text.find('&') != text.npos) find_signatures(text, spans);
  AtWords words(text, spans);
  for_each_word_begin(text, [&](std::size_t at) {
    if (kBeginnings.are_at(text, at)) words.look(at);
  });
}

}  // namespace filecall::worker::kube
