// SPDX-License-Identifier: MIT
#include "client/eval/selection.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

TEST(Glob, FitsOrNot) {
  const struct {
    const char* pattern;
    const char* text;
    bool wanted;
  } kCases[] = {
      {"", "", true},          {"", "a", false},          {"*", "", true},
      {"*", "abc", true},      {"a*", "abc", true},       {"a*", "ba", false},
      {"*c", "abc", true},     {"a*c", "ac", true},       {"a*b*c", "axbyc", true},
      {"a*b*c", "acb", false}, {"a?c", "abc", true},      {"a?c", "ac", false},
      {"?", "\xc3\xa4", true}, {"??", "\xc3\xa4", false}, {"[a]", "a", false},
      {"**", "x", true},
  };
  for (const auto& row : kCases) {
    EXPECT_EQ(fits_glob(row.pattern, row.text), row.wanted) << row.pattern << " " << row.text;
  }
  std::string stars;
  for (int i = 0; i < 60; ++i) stars += "*a";
  EXPECT_FALSE(fits_glob(stars + "b", std::string(200, 'a')));
}

TEST(Selection, NeverTakesTheQuestionsOfAnEvaluation) {
  const Selection all{.command = "*"};
  EXPECT_TRUE(all.selects_id("anything"));
  EXPECT_FALSE(all.selects_id("filecall-eval-0123"));
  EXPECT_FALSE((Selection{.ids = {"filecall-*"}}).selects_id("filecall-eval-0123"));
}

TEST(Selection, IsToldByAllThatItGoesBy) {
  EXPECT_EQ(selected_by({}), "command llm.chat");
  EXPECT_EQ(selected_by({.command = "*",
                         .ids = {"a-*"},
                         .batch = "b.jsonl",
                         .metadata = {{"model", "m"}},
                         .rows = {.limit = 3}}),
            "command *, ids, batch b.jsonl, metadata.model, a part of the rows");
}

TEST(Selection, GoesByIdCommandAndMetadata) {
  const Selection selection{.ids = {"a-*", "b"}, .metadata = {{"suite", "s"}, {"n", 1}}};
  EXPECT_TRUE(selection.selects_id("a-1"));
  EXPECT_TRUE(selection.selects_id("b"));
  EXPECT_FALSE(selection.selects_id("c"));
  Request request;
  request.command = "llm.chat";
  EXPECT_FALSE(selection.selects(request));
  request.metadata = {{"suite", "s"}, {"n", 1}, {"more", true}};
  EXPECT_TRUE(selection.selects(request));
  request.metadata["n"] = 2;
  EXPECT_FALSE(selection.selects(request));
  request.command = "system.echo";
  EXPECT_FALSE((Selection{}).selects(request));
  EXPECT_TRUE((Selection{.command = "*"}).selects(request));
}

}  // namespace
}  // namespace filecall::client
