// SPDX-License-Identifier: MIT
#include "tests/unit/worker/exec/kube/model/corpus.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/base64.h"
#include "base/take_until.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kAlnum =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::array kWeak = std::to_array<std::string_view>(
    {"winter2024", "letmein!9", "Welcome1", "admin123", "hunter2x", "qwerty99", "changeme1",
     "s3cret", "Passw0rd!", "summer-2025", "root1234", "P@ssword1"});

/// Tokens of makers: how they begin, and how many letters and digits follow.
struct Maker {
  std::string_view placeholder, beginning;
  std::size_t count;
};
constexpr std::array kMakers = std::to_array<Maker>({{"ghp", "ghp_", 36},
                                                     {"glpat", "glpat-", 20},
                                                     {"npm", "npm_", 36},
                                                     {"hvs", "hvs.CAESI", 86},
                                                     {"hf", "hf_", 34},
                                                     {"stripe", "sk_live_51", 90},
                                                     {"googlekey", "AIzaSy", 33},
                                                     {"anthropic", "sk-ant-api03-", 93}});

std::string unescaped(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos; ++at) {
    text.replace(at, 2, "\n");
  }
  return text;
}

Json one(std::string key, const Json& value) {
  Json out = Json::object();
  out[std::move(key)] = value;
  return out;
}

/// The name and the value of "name=value".
std::pair<std::string, std::string> pair_of(const std::string& text) {
  const std::size_t sign = text.find('=');
  return {text.substr(0, sign), text.substr(sign + 1)};
}

std::pair<ObjectKind, Json> body_of(const CorpusEntry& entry) {
  const auto container = [](Json members) {
    members["name"] = "c";
    return Json{{"kind", "Pod"}, {"spec", {{"containers", Json::array({members})}}}};
  };
  const auto [name, value] = pair_of(entry.text);
  if (entry.place == "env") {
    return {{"", "Pod"}, container({{"env", {{{"name", name}, {"value", value}}}}})};
  }
  if (entry.place == "args") return {{"", "Pod"}, container({{"args", Json::parse(entry.text)}})};
  if (entry.place == "spec") {
    return {{"example.com", "Thing"}, {{"kind", "Thing"}, {"spec", Json::parse(entry.text)}}};
  }
  if (entry.place == "annotation") {
    return {{"networking.k8s.io", "Ingress"},
            {{"kind", "Ingress"}, {"metadata", {{"annotations", one(name, value)}}}}};
  }
  if (entry.place == "event") {
    return {{"", "Event"}, {{"kind", "Event"}, {"message", entry.text}}};
  }
  if (entry.place == "webhook") {
    return {{"", "Pod"}, {{"kind", "Status"}, {"message", entry.text}}};
  }
  const bool is_file = entry.place == "file";
  return {{"", "ConfigMap"},
          {{"kind", "ConfigMap"},
           {"data", is_file ? one(entry.detail, entry.text) : one(name, value)}}};
}

}  // namespace

Corpus::Corpus(std::string_view file) {
  std::string place, detail, text;
  const auto end = [&] {
    if (!text.empty()) add(place, detail, std::exchange(text, ""));
  };
  while (!file.empty()) {
    const std::string_view line = take_until(&file, '\n');
    if (line.starts_with("=== ")) {
      end();
      const std::size_t space = line.find(' ', 4);
      place = line.substr(4, space - 4);
      detail = space == std::string_view::npos ? "" : line.substr(space + 1);
    } else if (place == "file" && line == "--") {
      end();
    } else if (place == "file") {
      text += std::string(line) + "\n";
    } else if (!place.empty() && !line.empty()) {
      add(place, detail, std::string(line));
    }
  }
  end();
}

void Corpus::add(const std::string& place, const std::string& detail, std::string text) {
  const bool is_json = place == "args" || place == "spec";
  if (!is_json && place != "file") text = unescaped(std::move(text));
  templates_.push_back({place, detail, std::move(text), is_json});
}

std::vector<CorpusEntry> Corpus::entries(std::size_t count) {
  std::vector<CorpusEntry> out;
  while (out.size() < count) {
    const std::size_t index = out.size() % templates_.size();
    out.push_back(made(templates_[index]));
    out.back().is_held_out = index % 2 == 1;
  }
  return out;
}

CorpusEntry Corpus::made(const Template& from) {
  CorpusEntry out{from.place, from.detail, from.text, "", false};
  for (std::size_t at = 0; (at = out.text.find('{', at)) != std::string::npos;) {
    const std::size_t end = out.text.find('}', at);
    if (end == std::string::npos) break;
    std::string value = value_for(std::string_view(out.text).substr(at + 1, end - at - 1));
    if (value.empty()) {
      ++at;
      continue;
    }
    if (out.secret.empty()) {
      out.secret = value;
      // Of a key its text, not what says that it is one.
      if (value.starts_with("-----")) out.secret = value.substr(value.find('M'), 64);
    }
    if (from.is_json) {
      value = dump_json(Json(value));
      value = value.substr(1, value.size() - 2);
    }
    out.text.replace(at, end + 1 - at, value);
    at += value.size();
  }
  return out;
}

std::string Corpus::letters(std::string_view alphabet, std::size_t count) {
  std::string out;
  while (out.size() < count) out += alphabet[random_.below(alphabet.size())];
  return out;
}

std::string Corpus::password() {
  switch (random_.below(4)) {
    case 0:
      return letters(kLower, 5) + "-" + letters(kLower, 6) + "-" + letters(kDigits, 2);
    case 1:
      return letters(kAlnum, 6) + letters("!*-_.~^+", 1) + letters(kAlnum, 6);
    case 2:
      return letters(kAlnum, 14);
    default:
      return letters(kLower, 7) + letters(kDigits, 3) + letters("!*~^+", 1);
  }
}

std::string Corpus::key_block(std::string_view label, bool is_one_line) {
  const std::string end_of_line = is_one_line ? "\\n" : "\n";
  std::string out = "-----BEGIN " + std::string(label) + "-----" + end_of_line + "MIIEvQIB";
  out += letters(kAlnum, 56) + end_of_line + letters(kAlnum, 64) + end_of_line;
  return out + "-----END " + std::string(label) + "-----" + end_of_line;
}

std::string Corpus::value_for(std::string_view placeholder) {
  constexpr std::array kTurns = std::to_array<std::string_view>({"p", "x", "b", "a", "w"});
  if (placeholder == "?") return value_for(kTurns[turn_++ % kTurns.size()]);
  if (placeholder == "p") return password();
  if (placeholder == "w") return std::string(kWeak[random_.below(kWeak.size())]);
  if (placeholder == "x") return letters(kHex, 32);
  if (placeholder == "b") return base64_encode(letters(kAlnum, 30 + random_.below(8)));
  if (placeholder == "a") return letters(kAlnum, 24 + random_.below(12));
  if (placeholder == "sha1") return letters(kHex, 40);
  if (placeholder == "sha256") return letters(kHex, 64);
  if (placeholder == "u") {
    return letters(kHex, 8) + "-" + letters(kHex, 4) + "-4" + letters(kHex, 3) + "-a" +
           letters(kHex, 3) + "-" + letters(kHex, 12);
  }
  for (const Maker& maker : kMakers) {
    if (placeholder == maker.placeholder) {
      return std::string(maker.beginning) + letters(kAlnum, maker.count);
    }
  }
  if (placeholder == "aws") return "AKIA" + letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
  if (placeholder == "openai") return "sk-proj-" + letters(kAlnum, 48);
  if (placeholder == "sendgrid") return "SG." + letters(kAlnum, 22) + "." + letters(kAlnum, 43);
  if (placeholder == "slack") {
    return "xoxb-" + letters(kDigits, 12) + "-" + letters(kDigits, 12) + "-" + letters(kAlnum, 24);
  }
  if (placeholder == "jwt") {
    return "eyJhbGciOiJIUzI1NiJ9.eyJ" + letters(kAlnum, 40) + "." + letters(kAlnum, 43);
  }
  if (placeholder == "bcrypt") return "$2y$10$" + letters(kAlnum, 53);
  if (placeholder == "htpasswd") return "$apr1$" + letters(kAlnum, 8) + "$" + letters(kAlnum, 22);
  if (placeholder == "pem") return key_block("RSA PRIVATE KEY", false);
  if (placeholder == "pem1") return key_block("PRIVATE KEY", true);
  if (placeholder == "sshpem") return key_block("OPENSSH PRIVATE KEY", false);
  return "";
}

Shown shown_entry(const CorpusEntry& entry) {
  Redactor redactor(DigestKey{});
  if (entry.place == "log") {
    std::string text = redactor.scrub(entry.text);
    const bool is_changed = text != entry.text;
    return {std::move(text), is_changed};
  }
  const auto [kind, body] = body_of(entry);
  const Json out = redactor.redact(body, kind);
  Shown result;
  for_each_text(out, [&](const std::string& text) { result.text += text + "\n"; });
  result.is_changed = out != body;
  return result;
}

bool is_visible(std::string_view text, std::string_view secret) {
  const std::size_t run = std::min(secret.size(), std::max<std::size_t>(8, secret.size() / 2));
  for (std::size_t at = 0; at + run <= secret.size(); ++at) {
    if (text.find(secret.substr(at, run)) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace filecall::worker::kube
