// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/known_values.h"

#include <algorithm>

#include "base/base64.h"
#include "base/hash.h"
#include "base/take_until.h"
#include "ipc/json_text.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kPiece = 16;
constexpr std::size_t kAnywhere = 6;
/// A line of a value is a value of its own from this length on (a key of a PEM file, shown alone).
constexpr std::size_t kLine = 12;
constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

std::size_t start_of(std::string_view text) {
  return static_cast<std::size_t>(static_cast<unsigned char>(text[0])) * 256 +
         static_cast<unsigned char>(text[1]);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Where a value that stands in a text usually begins or ends.
bool is_delimiter(char c) {
  return c == '"' || c == '\'' || c == '=' || c == ':' || c == ',' || c == ';' || c == '(' ||
         c == ')' || c == '&' || static_cast<unsigned char>(c) <= ' ';
}

std::string percent_encoded(std::string_view value) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : value) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string json_escaped(std::string_view value) {
  std::string out;
  append_json_string(out, value);
  return out.substr(1, out.size() - 2);
}

}  // namespace

void KnownValues::add(std::string_view value) {
  if (value.empty()) return;
  bytes_ += value.size();
  if (bytes_ > kBytesMax) return;
  add_forms(value);
  if (value.find('\n') == std::string_view::npos) return;
  for (std::string_view rest = value; !rest.empty();) {
    std::string_view line = take_until(&rest, '\n');
    while (!line.empty() && static_cast<unsigned char>(line.front()) <= ' ') line.remove_prefix(1);
    while (!line.empty() && static_cast<unsigned char>(line.back()) <= ' ') line.remove_suffix(1);
    if (line.size() >= kLine && !line.starts_with("-----")) add_form(line);
  }
}

void KnownValues::add_forms(std::string_view value) {
  add_form(value);
  add_base64(value);
  if (value.size() < kAnywhere) return;
  if (const std::string escaped = json_escaped(value); escaped != value) add_form(escaped);
  if (const std::string encoded = percent_encoded(value); encoded != value) add_form(encoded);
}

void KnownValues::add_base64(std::string_view value) {
  std::vector<std::string> texts;
  std::string whole = base64_encode(value);
  texts.push_back(whole);
  while (whole.ends_with('=')) whole.pop_back();
  texts.push_back(std::move(whole));
  // Inside a longer encoded text the value begins at one of three places in a group of characters;
  // what depends on its neighbours is left out.
  for (std::size_t before = 0; value.size() >= kAnywhere && before < 3; ++before) {
    const std::string text = base64_encode(std::string(before, ' ') + std::string(value));
    const std::size_t begin = (8 * before + 5) / 6;
    const std::size_t end = 8 * (before + value.size()) / 6;
    texts.push_back(text.substr(begin, end - begin));
  }
  for (std::string& text : texts) {
    add_form(text);
    if (text.find_first_of("+/") == std::string::npos) continue;
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    add_form(text);
  }
}

void KnownValues::add_form(std::string_view form) {
  if (form.size() < kAnywhere) {
    alone_.emplace(form);
    return;
  }
  if (starts_.empty()) starts_.resize(std::size_t{1} << 16);
  starts_[start_of(form)] = true;
  if (form.size() < kPiece) {
    short_begins_[hash64(form.substr(0, kAnywhere))] |= std::uint32_t{1} << form.size();
    shorts_.emplace(form);
    return;
  }
  for (std::size_t at = 0; at < form.size(); at += kPiece) {
    const std::string_view piece = form.substr(std::min(at, form.size() - kPiece), kPiece);
    starts_[start_of(piece)] = true;
    pieces_.insert(hash64(piece));
  }
}

void KnownValues::find(std::string_view text, std::vector<TextSpan>& spans) const {
  if (is_empty() || text.empty()) return;
  if (bytes_ > kBytesMax) {
    spans.push_back({0, text.size()});
    return;
  }
  if (!alone_.empty()) find_alone(text, spans);
  if (starts_.empty()) return;
  for (std::size_t i = 0; i + kAnywhere <= text.size(); ++i) {
    if (!starts_[start_of(text.substr(i, 2))]) continue;
    const auto sizes = short_begins_.find(hash64(text.substr(i, kAnywhere)));
    if (sizes != short_begins_.end()) {
      for (std::size_t size = kAnywhere; size < kPiece && i + size <= text.size(); ++size) {
        const bool is_size = (sizes->second >> size & 1) != 0;
        if (is_size && shorts_.contains(std::string(text.substr(i, size)))) {
          spans.push_back({i, i + size});
        }
      }
    }
    if (i + kPiece > text.size() || !pieces_.contains(hash64(text.substr(i, kPiece)))) continue;
    // A part of a value may go on for less than a piece on either side.
    std::size_t begin = i;
    std::size_t end = i + kPiece;
    while (begin > 0 && i - begin < kPiece - 1 && !is_delimiter(text[begin - 1])) --begin;
    while (end < text.size() && end - i < 2 * kPiece - 1 && !is_delimiter(text[end])) ++end;
    spans.push_back({begin, end});
  }
}

void KnownValues::find_alone(std::string_view text, std::vector<TextSpan>& spans) const {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && is_word(text[i - 1]) && is_word(text[i])) continue;
    for (std::size_t size = 1; size < kAnywhere && i + size <= text.size(); ++size) {
      const std::size_t end = i + size;
      if (end < text.size() && is_word(text[end - 1]) && is_word(text[end])) continue;
      if (alone_.contains(text.substr(i, size))) spans.push_back({i, end});
    }
  }
}

}  // namespace filecall::worker::kube
