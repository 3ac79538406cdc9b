// SPDX-License-Identifier: MIT
#include "worker/exec/file/line_search.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <random>

namespace filecall::worker::file {
namespace {

LineSearch::Found find(const LineSearch& search, std::string_view text, std::size_t max) {
  static const std::atomic<bool> kGoesOn = false;
  return search.find(text, max, kGoesOn);
}

/// "line:column=text ..." of what is found.
std::string found(const LineSearch& search, std::string_view text, std::size_t max = 100) {
  std::string out;
  for (const LineMatch& match : find(search, text, max).matches) {
    out += fmt::format("{}:{}={} ", match.line, match.column,
                       text.substr(match.begin, match.end - match.begin));
  }
  return out;
}

LineSearch pattern(const std::string& text) { return *LineSearch::of_pattern(text); }
LineSearch plain(const std::string& text) { return *LineSearch::of_text(text); }

TEST(LineSearch, FindsTheLinesThatFitOnceEach) {
  EXPECT_EQ(found(plain("o"), "foo\nbar\nwoo\r\no"), "1:2=foo 3:2=woo\r 4:1=o ");
  EXPECT_EQ(found(pattern("^b"), "foo\nbar\nb\n"), "2:1=bar 3:1=b ");
  EXPECT_EQ(found(pattern("o$"), "foo\nox\n"), "1:3=foo ");
  EXPECT_EQ(found(plain("x"), ""), "");
}

TEST(LineSearch, CountsColumnsInCharacters) {
  EXPECT_EQ(found(plain("x"), "\xC3\xA4\xE2\x82\xACx"), "1:3=\xC3\xA4\xE2\x82\xACx ");
}

TEST(LineSearch, NothingFitsAcrossLines) {
  EXPECT_EQ(found(pattern("a\\s+b"), "a\nb\na b\n"), "3:1=a b ");
  EXPECT_EQ(found(pattern("[^q]*b"), "a\nb\n"), "2:1=b ");
  EXPECT_EQ(found(pattern("a(\\nb)?"), "xa\nb\n"), "1:2=xa ");
}

TEST(LineSearch, CountsWhatIsBeyondTheMost) {
  const auto result = find(plain("x"), "x\nx\nx\n", 2);
  EXPECT_EQ(result.matches.size(), 2U);
  EXPECT_EQ(result.count, 3U);
}

TEST(LineSearch, RefusesWhatCannotBeLookedFor) {
  EXPECT_FALSE(LineSearch::of_pattern("("));
  EXPECT_FALSE(LineSearch::of_pattern("a)(b"));
  const auto large = LineSearch::of_pattern("((a{100}){100}){100}");
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find("/params/pattern: "), std::string::npos);
  EXPECT_FALSE(LineSearch::of_text(""));
  EXPECT_FALSE(LineSearch::of_text("a\nb"));
}

TEST(LineSearch, LooksAtTextsWithoutTheirForm) {
  const auto in = [](const LineSearch& search, std::string_view text) {
    return found(search, search.plain(std::string(text)));
  };
  EXPECT_EQ(in(pattern("o$"), "foo\r\nox\r\no"), "1:3=foo 3:1=o ");
  EXPECT_EQ(in(pattern("^f"),
               "\xEF\xBB\xBF"
               "foo\n"),
            "1:1=foo ");
  EXPECT_EQ(in(pattern("\\s+$"), "a\r\nb \r\n"), "2:2=b  ");
  EXPECT_EQ(in(pattern("\\r$"), "a\r\nb\n"), "1:2=a\r ");
}

TEST(LineSearch, GoesThroughATextOnce) {
  // Each line could begin a fit that goes on to the end of the text.
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "a\n";
  const auto begin = std::clock();
  EXPECT_EQ(find(pattern("a[^q]*z"), text, 10).count, 0U);
  EXPECT_EQ(find(pattern("a[^q]*"), text, 10).count, 200'000U);
  EXPECT_LT(std::clock() - begin, 30 * CLOCKS_PER_SEC) << "it took hours";
}

TEST(LineSearch, EndsSoonWhenCancelled) {
  const std::atomic<bool> is_cancelled = true;
  EXPECT_EQ(plain("x").find("x\n", 1, is_cancelled).count, 0U);
}

// Line by line, each by itself, is what it must come to.
TEST(LineSearch, AgreesWithEachLineByItself) {
  std::mt19937 random(7);
  for (const char* expression :
       {"a", "a+b?", "^", "$", "\\s", "b.*a", "[^b]", "(a|ab)(c|)", "^a.c$", "\\bab\\b"}) {
    const LineSearch search = pattern(expression);
    for (int round = 0; round < 300; ++round) {
      std::string text;
      for (auto i = random() % 24; i > 0; --i) text += "abc \n"[random() % 5];
      std::size_t expected = 0, begin = 0;
      while (begin < text.size()) {
        const std::size_t feed = std::min(text.find('\n', begin), text.size());
        expected += find(search, text.substr(begin, feed - begin) + "\n", 1).count;
        begin = feed + 1;
      }
      EXPECT_EQ(find(search, text, 5).count, expected) << expression << " in '" << text << "'";
    }
  }
}

}  // namespace
}  // namespace filecall::worker::file
