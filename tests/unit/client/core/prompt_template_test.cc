// SPDX-License-Identifier: MIT
#include "client/core/prompt_template.h"

#include <gmock/gmock.h>

#include "base/utf8.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

const Json kRow = {{"q", R"(a "quoted" \ line
break, {{q}})"},
                   {"n", 3},
                   {"t", "0.5"},
                   {"yes", "true"},
                   {"code", "007"},
                   {"list", {1, 2}},
                   {"none", nullptr},
                   {"two words", "x"}};

TEST(PromptTemplate, TextsGetTheirValues) {
  const std::pair<const char*, std::string> rows[] = {
      {"", ""},
      {"plain { text }", "plain { text }"},
      {"{{q}}", kRow["q"]},
      {"<{{ two words }}>", "<x>"},
      {"{{n}} and {{list}}", "3 and [1,2]"},
      {"{{code|json}}", "\"007\""},
      {"{{ list | json }}", "[1,2]"},
      {"\\{{q}} {{n}}", "{{q}} 3"},
      {"{{n}}}", "3}"},
  };
  for (const auto& [text, expected] : rows) {
    const auto filled = fill_text(text, kRow);
    ASSERT_TRUE(filled) << text << ": " << filled.error().message;
    EXPECT_EQ(*filled, expected) << text;
  }
}

TEST(PromptTemplate, SaysWhatIsMissing) {
  const std::pair<const char*, const char*> rows[] = {
      {"{{other}}", "variable 'other' is missing; there are: code, list"},
      {"{{none}}", "variable 'none' is null"},
      {"{{}}", "variable '' is missing"},
      {"a {{q", "'{{q' is not closed"},
  };
  for (const auto& [text, expected] : rows) {
    const auto filled = fill_text(text, kRow);
    ASSERT_FALSE(filled) << text;
    EXPECT_THAT(filled.error().message, HasSubstr(expected));
    EXPECT_FALSE(fill_json(Json{{"a", {text}}}, kRow)) << text;
  }
}

TEST(PromptTemplate, ShowsWholeCharactersOfWhatIsNotClosed) {
  for (std::size_t before = 0; before < 20; ++before) {
    const auto filled =
        fill_text("{{" + std::string(before, 'a') + "\xef\xbb\xbf\xef\xbb\xbf", kRow);
    ASSERT_FALSE(filled);
    EXPECT_TRUE(is_valid_utf8(filled.error().message)) << before;
  }
}

TEST(PromptTemplate, NoValueChangesTheStructure) {
  const std::string evil = R"(", "admin": true, "x": "{{n}})";
  const Json filled =
      fill_json({{"a", "say {{v}}"}, {"{{v}}", {{"b", "{{v}}"}}}}, {{"v", evil}}).value();
  EXPECT_EQ(filled, Json({{"a", "say " + evil}, {"{{v}}", {{"b", evil}}}}));
}

TEST(PromptTemplate, AStringThatIsOneJsonPlaceBecomesTheValue) {
  const std::pair<const char*, Json> rows[] = {
      {"{{n|json}}", 3},   {"{{list|json}}", {1, 2}}, {"{{none|json}}", nullptr},
      {"{{t|json}}", 0.5}, {"{{yes|json}}", true},    {"{{code|json}}", "007"},
      {"{{n}}", "3"},      {"{{q|json}}", kRow["q"]}, {" {{n|json}}", " 3"},
  };
  for (const auto& [text, expected] : rows) {
    EXPECT_EQ(fill_json(text, kRow).value(), expected) << text;
  }
}

TEST(PromptTemplate, KnowsWhichVariablesItHasPlacesFor) {
  const Json value = {{"a", {{"b", "x {{ prompt }}"}}}, {"c", "\\{{other}}"}};
  EXPECT_TRUE(has_place_for(value, "prompt"));
  EXPECT_FALSE(has_place_for(value, "other"));
  EXPECT_FALSE(has_place_for(value, "a"));
}

}  // namespace
}  // namespace filecall::client
