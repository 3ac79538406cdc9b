// SPDX-License-Identifier: MIT
#include "client/report/html_escape.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(HtmlEscape, LeavesNoMarkup) {
  EXPECT_EQ(html_escape("<a href=\"x\" b='y'>&"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(html_escape(std::string_view("a\0b\x1b", 4)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
}

TEST(HtmlEscape, ScriptJsonCannotEndItsElement) {
  const std::string text = script_json(Json{{"k", "</script><!-- \xe2\x80\xa8 & \xe2\x80\xa9"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find('>'), std::string::npos);
  EXPECT_EQ(text.find("\xe2\x80"), std::string::npos);
  EXPECT_EQ(Json::parse(text)["k"], "</script><!-- \xe2\x80\xa8 & \xe2\x80\xa9");
}

TEST(HtmlEscape, UrlPathKeepsOnlyWhatCannotMeanSomethingElse) {
  EXPECT_EQ(url_path("../requests/a b#?%\"\xc3\xa9.json"),
            "../requests/a%20b%23%3F%25%22%C3%A9.json");
  EXPECT_EQ(url_path("javascript:x"), "javascript%3Ax");
}

}  // namespace
}  // namespace filecall::client
