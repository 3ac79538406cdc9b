// SPDX-License-Identifier: MIT
#include "client/promptfoo/nunjucks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Nunjucks, TakesWhatHasAFormHere) {
  const std::pair<const char*, const char*> kCases[] = {
      {"plain", "plain"},
      {"", ""},
      {"{{a}}", "{{a}}"},
      {"{{ a }} and {{b_2}}", "{{a}} and {{b_2}}"},
      {"{{ a | dump }}", "{{a|json}}"},
      {"{{ a|safe }}", "{{a}}"},
      {"x{# a comment #}y", "xy"},
      {"{% raw %}{{ a }} {{b}}{% endraw %}!", "\\{{ a }} \\{{b}}!"},
      {"{%raw%}{%endraw%}", ""},
      {"{\"a\": {b}}", "{\"a\": {b}}"},
      {"a { b", "a { b"},
  };
  for (const auto& [text, ours] : kCases) {
    const auto taken = take_template(text);
    ASSERT_TRUE(taken) << text << ": " << taken.error().message;
    EXPECT_EQ(taken->text, ours) << text;
  }
  EXPECT_THAT(take_template("{{b}} {{ a | dump }} {{b}}")->names, ElementsAre("a", "b"));
}

TEST(Nunjucks, NamesWhatHasNone) {
  const std::pair<const char*, const char*> kCases[] = {
      {"{% if a %}x{% endif %}", "blocks are not evaluated"},
      {"{% for x in y %}", "{% for x in y %}"},
      {"{{ a | upper }}", "the filter 'upper'"},
      {"{{ a | upper | dump }}", "the filter 'upper | dump'"},
      {"{{ a.b }}", "'{{a.b}}' is no plain variable"},
      {"{{ a[0] }}", "is no plain variable"},
      {"{{ f(a) }}", "is no plain variable"},
      {"{{ 'x' }}", "is no plain variable"},
      {"{{- a -}}", "is no plain variable"},
      {"{{ env.HOME }}", "of the environment"},
      {"{{ a", "is not closed"},
      {"{% raw %} x", "is not closed"},
      {"{# x", "is not closed"},
      {"\\{{a}}", "a backslash before braces"},
  };
  for (const auto& [text, says] : kCases) {
    const auto taken = take_template(text);
    ASSERT_FALSE(taken) << text;
    EXPECT_THAT(taken.error().message, HasSubstr(says)) << text;
  }
}

TEST(Nunjucks, FillsAMissingVariableWithNothing) {
  const Json variables = {{"a", "x"}, {"n", 3}, {"none", nullptr}, {"list", {1, 2}}};
  EXPECT_EQ(*render_foreign("{{a}}-{{n}}-{{none}}-{{absent}}-{{list}}", variables), "x-3---[1,2]");
  EXPECT_EQ(*render_foreign("{% raw %}{{a}}{% endraw %}", variables), "{{a}}");
  EXPECT_FALSE(render_foreign("{{a|first}}", variables));
}

}  // namespace
}  // namespace filecall::client
