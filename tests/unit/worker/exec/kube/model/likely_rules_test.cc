// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/likely_rules.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/random.h"
#include "embedded/corpus_files.h"
#include "tests/unit/worker/exec/kube/model/corpus.h"
#include "worker/exec/kube/model/credential_assignments.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/credential_values.h"

namespace filecall::worker::kube {
namespace {

using Find = void (*)(std::string_view, std::vector<TextSpan>&);
struct Rule {
  const char* name;
  bool LikelyRules::*is_likely;
  bool is_settings;
  Find find;
};
const std::array kRules = std::to_array<Rule>({
    {"values", &LikelyRules::values, true, find_credential_values},
    {"settings", &LikelyRules::assignments, true,
     [](std::string_view text, std::vector<TextSpan>& spans) {
       find_credential_assignments(text, Assignments::kSettings, spans);
     }},
    {"assignments in sentences", &LikelyRules::assignments, false,
     [](std::string_view text, std::vector<TextSpan>& spans) {
       find_credential_assignments(text, Assignments::kSentences, spans);
     }},
    {"lines", &LikelyRules::lines, true,
     [](std::string_view text, std::vector<TextSpan>& spans) {
       find_credential_lines(text, spans);
     }},
    {"sentences", &LikelyRules::sentences, false,
     [](std::string_view text, std::vector<TextSpan>& spans) {
       find_spoken_credentials(text, spans);
     }},
    {"flags", &LikelyRules::flags, true, find_credential_flags},
});

/// Holds the first look against each rule.
class FirstLook {
 public:
  void expect_nothing_unlikely(std::string_view text) {
    for (std::size_t i = 0; i < kRules.size(); ++i) {
      const Rule& rule = kRules[i];
      const bool is_likely = likely_rules(text, rule.is_settings).*rule.is_likely;
      std::vector<TextSpan> spans;
      rule.find(text, spans);
      found_[i] += spans.empty() ? 0 : 1;
      unlikely_[i] += is_likely ? 0 : 1;
      ASSERT_TRUE(is_likely || spans.empty()) << rule.name << ": " << testing::PrintToString(text);
    }
  }
  /// Both happen: a look that never says no, or texts without credentials, show nothing.
  void expect_both(int at_least) const {
    for (std::size_t i = 0; i < kRules.size(); ++i) {
      EXPECT_GE(found_[i], at_least) << kRules[i].name;
      EXPECT_GE(unlikely_[i], at_least) << kRules[i].name;
    }
  }

 private:
  std::array<int, kRules.size()> found_{}, unlikely_{};
};

TEST(LikelyRules, FindWhateverIsInTheCorporaAndInPartsOfTheirTexts) {
  FirstLook look;
  Random random(5);
  for (const EmbeddedFile& file : corpus_files()) {
    for (const CorpusEntry& entry : Corpus(file.bytes).entries(500)) {
      look.expect_nothing_unlikely(entry.text);
      look.expect_nothing_unlikely(entry.secret);
      for (int part = 0; part < 10; ++part) {
        const std::size_t begin = random.below(entry.text.size() + 1);
        look.expect_nothing_unlikely(std::string_view(entry.text).substr(begin, random.below(60)));
      }
      if (HasFatalFailure()) return;
    }
  }
  look.expect_both(10);
}

/// What texts are made of.
constexpr std::array kParts = std::to_array<std::string_view>({" ",
                                                               "\t",
                                                               "\n",
                                                               "=",
                                                               ":",
                                                               ">",
                                                               "<",
                                                               ",",
                                                               "-",
                                                               "--",
                                                               "|",
                                                               "\"",
                                                               "'",
                                                               "/",
                                                               "://",
                                                               "@",
                                                               "@tcp(",
                                                               "(",
                                                               ")",
                                                               ";",
                                                               "&",
                                                               "password",
                                                               "DB_TOKEN",
                                                               "PASS",
                                                               "api_key",
                                                               "x",
                                                               "user",
                                                               "kind",
                                                               "Secret",
                                                               "data",
                                                               "Bearer",
                                                               "Basic",
                                                               "hunter2X9",
                                                               "0123456789",
                                                               "eyJhbGciOiJI",
                                                               ".",
                                                               "ghp_",
                                                               "AKIA",
                                                               "$2a$",
                                                               "mysql",
                                                               "-psecret1!",
                                                               "curl",
                                                               "-u",
                                                               "mc alias",
                                                               "chpasswd",
                                                               "echo",
                                                               "htpasswd",
                                                               "-b",
                                                               "pass:",
                                                               "openssl",
                                                               "value=",
                                                               "password",
                                                               "is",
                                                               "abcdEFGH1",
                                                               "-----BEGIN ",
                                                               "PRIVATE KEY",
                                                               "\x80",
                                                               "\xc3\xa4",
                                                               "*",
                                                               "5432",
                                                               "token:",
                                                               "AccountKey=",
                                                               "authorization:",
                                                               "user a on",
                                                               ">",
                                                               "IDENTIFIED BY ",
                                                               "\r",
                                                               "docker",
                                                               "-p",
                                                               "password-stdin"});

TEST(LikelyRules, FindWhateverIsInTextsMadeOfSignsAndWordsOfTheRules) {
  FirstLook look;
  Random random(8);
  for (int round = 0; round < 60'000; ++round) {
    std::string text;
    for (std::uint64_t parts = 1 + random.below(9); parts > 0; --parts) {
      text += kParts[random.below(kParts.size())];
    }
    look.expect_nothing_unlikely(text);
    if (HasFatalFailure()) return;
  }
  look.expect_both(5);
}

TEST(LikelyRules, FindWhateverIsInRandomBytes) {
  FirstLook look;
  Random random(9);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = random.below(2) == 0 ? "password" : "";
    for (std::uint64_t bytes = random.below(40); bytes > 0; --bytes) {
      text += static_cast<char>(random.below(256));
    }
    look.expect_nothing_unlikely(text);
    if (HasFatalFailure()) return;
  }
}

TEST(LikelyRules, AreNoneForAWordThatBeginsAsNothing) {
  const LikelyRules none = likely_rules("vvvvvvvvvvvv_1", true);
  EXPECT_FALSE(none.values || none.assignments || none.lines || none.sentences || none.flags);
  EXPECT_TRUE(likely_rules("ghp_0123456789abcdef", true).values);
}

}  // namespace
}  // namespace filecall::worker::kube
