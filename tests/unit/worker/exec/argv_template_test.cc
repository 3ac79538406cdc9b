// SPDX-License-Identifier: MIT
#include "worker/exec/tool/argv_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

using Strings = std::vector<std::string>;

/// The expansion, or {"!", message}.
Strings expand(const Strings& elements, const Json& args, bool allow_leading_dash = false) {
  const auto parsed = ArgvTemplate::parse(elements);
  if (!parsed) return {"!", parsed.error().message};
  const auto argv = parsed->expand(args, allow_leading_dash);
  return argv ? *argv : Strings{"!", argv.error().message};
}

TEST(ArgvTemplate, PutsArgumentsInTheirPlaces) {
  const struct {
    Strings elements;
    Json args;
    Strings argv;
  } cases[] = {
      {{"p"}, {}, {"p"}},
      {{"p", "{x}"}, {{"x", "a b; rm $(y) *"}}, {"p", "a b; rm $(y) *"}},
      {{"p", "--out={x}"}, {{"x", "-v"}}, {"p", "--out=-v"}},
      {{"p", "{x}-{y}"}, {{"x", "1"}, {"y", "2"}}, {"p", "1-2"}},
      {{"p", "{n}", "{b}"}, {{"n", 7}, {"b", true}}, {"p", "7", "true"}},
      {{"p", "{f}"}, {{"f", 0.5}}, {"p", "0.5"}},
      {{"p", "{x}"}, {{"x", ""}}, {"p", ""}},
      {{"p", ""}, {}, {"p", ""}},
      {{"p", "{list}", "end"}, {{"list", {"a", "b", 3}}}, {"p", "a", "b", "3", "end"}},
      {{"p", "{list...}"}, {{"list", {"a", "b"}}}, {"p", "a", "b"}},
      {{"p", "{list...}"}, {{"list", "one"}}, {"p", "one"}},
      {{"p", "{list}"}, {{"list", Json::array()}}, {"p"}},
      {{"p", "{absent}", "x", "--y={absent}"}, {}, {"p", "x"}},
      {{"p", "{x}"}, {{"x", nullptr}}, {"p"}},
      {{"awk", "{print $1}", "{}", "{1}"}, {}, {"awk", "{print $1}", "{}", "{1}"}},
      {{"p", "{{x}}", "}}{{"}, {{"x", "no"}}, {"p", "{x}", "}{"}},
      {{"p", "--", "{x}"}, {{"x", "-rf"}}, {"p", "--", "-rf"}},
      {{"p", "{x}"}, {{"x", "{y}"}, {"y", "z"}}, {"p", "{y}"}},
      {{"p", "a-b: {a-b}"}, {{"a-b", "c"}}, {"p", "a-b: c"}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(expand(c.elements, c.args), c.argv) << testing::PrintToString(c.elements);
  }
}

TEST(ArgvTemplate, RefusesValuesThatWouldBeOptions) {
  for (const Json& value : {Json("-rf"), Json("-"), Json(-5), Json({"a", "--x"})}) {
    const Strings argv = expand({"p", "{x}"}, {{"x", value}});
    ASSERT_EQ(argv.front(), "!") << value;
    EXPECT_THAT(argv.back(), testing::StartsWith("/params/args/x: "));
    EXPECT_NE(expand({"p", "{x}"}, {{"x", value}}, true).front(), "!") << value;
  }
  EXPECT_EQ(expand({"p", "{x}{y}"}, {{"x", ""}, {"y", "-v"}}).front(), "!");
  EXPECT_EQ(expand({"p", "{x}", "--"}, {{"x", "-v"}}).front(), "!");
}

TEST(ArgvTemplate, RefusesValuesThatAreNoArgument) {
  EXPECT_EQ(expand({"p", "{x}"}, {{"x", {{"a", 1}}}}).front(), "!");
  EXPECT_EQ(expand({"p", "{x}"}, {{"x", {{1, 2}, {3, 4}}}}).front(), "!");
  EXPECT_EQ(expand({"p", "--x={x}"}, {{"x", {"a"}}}).front(), "!");
  EXPECT_EQ(expand({"p", "{x}"}, {{"x", std::string("a\0b", 3)}}).front(), "!");
}

TEST(ArgvTemplate, RefusesTemplatesThatAreWrong) {
  for (const Strings& elements : {Strings{}, Strings{""}, Strings{"{program}"}, Strings{"p{x}"},
                                  Strings{"p", "--x={list...}"}, Strings{std::string("a\0", 2)}}) {
    EXPECT_EQ(expand(elements, Json::object()).front(), "!") << testing::PrintToString(elements);
  }
}

TEST(ArgvTemplate, ListsItsNames) {
  const auto parsed = ArgvTemplate::parse({"p", "{b}", "{a...}", "--x={b}{c}"});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_THAT(parsed->names(), testing::ElementsAre("b", "a", "c"));
}

}  // namespace
}  // namespace filecall::worker
