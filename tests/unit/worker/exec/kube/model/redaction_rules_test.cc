// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/redaction_rules.h"

#include <gtest/gtest.h>

#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {
namespace {

Json redacted_with(const Json& object, const ObjectKind& kind, std::vector<std::string> add,
                   std::vector<std::string> except) {
  auto rules = RedactionRules::parse(add, except);
  EXPECT_TRUE(rules) << rules.error().message;
  Redactor redactor(DigestKey{}, Redactor::Secrets::kHidden,
                    std::make_shared<const RedactionRules>(*std::move(rules)));
  return redactor.redact(object, kind);
}

bool is_shown(const Json& value, std::string_view text) {
  return dump_json(value).find(text) != std::string::npos;
}

const Json kLicensed = {
    {"kind", "Pod"},
    {"metadata", {{"name", "p"}, {"annotations", {{"example.com/licence", "plain-words-1"}}}}},
    {"spec",
     {{"containers",
       {{{"name", "c"},
         {"args", {"--licence", "plain-words-2", "--licence=plain-words-3"}},
         {"env",
          {{{"name", "MY_LICENCE"}, {"value", "plain-words-4"}},
           {{"name", "NOTE"}, {"value", "number ACME-0123 is ours"}}}}}}},
      {"licence", {{"main", "plain-words-5"}, {"count", 3}}}}}};

TEST(RedactionRules, HideWhatTheConfigurationAdds) {
  EXPECT_TRUE(is_shown(redacted_with(kLicensed, {"", "Pod"}, {}, {}), "plain-words"));
  const Json out = redacted_with(kLicensed, {"", "Pod"}, {"*LICENCE", "/ACME-[0-9]+/"}, {});
  EXPECT_FALSE(is_shown(out, "plain-words")) << out;
  EXPECT_FALSE(is_shown(out, "ACME-0123")) << out;
  EXPECT_TRUE(is_shown(out, "is ours") && is_shown(out, "MY_LICENCE"));
}

TEST(RedactionRules, TakeAFlagForItsName) {
  EXPECT_FALSE(is_shown(redacted_with(kLicensed, {"", "Pod"}, {"--licence"}, {}), "plain-words-2"));
}

TEST(RedactionRules, HideAddedFormsInNamesOfMembers) {
  const Json map = {{"kind", "Thing"}, {"spec", {{"acme-key", "x"}, {"other", "y"}}}};
  const Json out = redacted_with(map, {"example.com", "Thing"}, {"/acme-[a-z]+/"}, {});
  EXPECT_FALSE(is_shown(out, "acme-key")) << out;
  EXPECT_TRUE(is_shown(out, "other")) << out;
}

TEST(RedactionRules, HideAddedNamesInTheTextsOfFiles) {
  const Json map = {{"kind", "ConfigMap"},
                    {"data",
                     {{"app.yaml", "licence: plain-words\nport: 80\n"},
                      {"app.env", "LICENCE=other-words PORT=80"},
                      {"groups.yaml", "licence:\n  main: third-words\nport: 80\n"}}}};
  const Json out = redacted_with(map, {"", "ConfigMap"}, {"licence"}, {});
  EXPECT_FALSE(is_shown(out, "words")) << out;
  EXPECT_TRUE(is_shown(out, "port: 80") && is_shown(out, "PORT=80")) << out;
}

TEST(RedactionRules, ShowWhatIsExcepted) {
  const Json map = {
      {"kind", "ConfigMap"},
      {"data", {{"TOKEN_BUDGET", "many-tokens-9"}, {"API_TOKEN", "hunter2-hunter2"}}}};
  EXPECT_FALSE(is_shown(redacted_with(map, {"", "ConfigMap"}, {}, {}), "many-tokens-9"));
  const Json out = redacted_with(map, {"", "ConfigMap"}, {}, {"token_budget"});
  EXPECT_TRUE(is_shown(out, "many-tokens-9")) << out;
  EXPECT_FALSE(is_shown(out, "hunter2"));
  EXPECT_FALSE(
      is_shown(redacted_with(map, {"", "ConfigMap"}, {"TOKEN_BUDGET"}, {"TOKEN_*"}), "many"))
      << "what is added stays hidden";
}

TEST(RedactionRules, ShowNoValueOfASecretByAnException) {
  const Json list = Json::parse(R"({"kind": "List", "items": [
    {"kind": "Secret", "metadata": {"name": "s"}, "stringData": {"TOKEN": "value-of-a-secret-1"}},
    {"kind": "ConfigMap", "data": {"TOKEN": "value-of-a-secret-1",
      "file": "TOKEN=value-of-a-secret-1", "word": "glpat-0123456789abcdefghij"}},
    {"kind": "Pod", "spec": {"containers": [
      {"env": [{"name": "TOKEN", "value": "value-of-a-secret-1"}]}]}}]})");
  const Json out =
      redacted_with(list, {"", "Pod"}, {}, {"TOKEN", "file", "word", "data", "stringData", "*s*"});
  EXPECT_FALSE(is_shown(out, "value-of-a-secret")) << out;
  EXPECT_FALSE(is_shown(out, "glpat-0123456789")) << "the form of a token";
}

TEST(RedactionRules, RefuseWhatFitsEverythingOrIsNoForm) {
  for (const char* entry : {"*", "**", "-", "/(/", "/a*/"}) {
    EXPECT_FALSE(RedactionRules::parse({entry}, {})) << entry;
  }
  EXPECT_FALSE(RedactionRules::parse({}, {"*"}));
  EXPECT_FALSE(RedactionRules::parse({}, {"/x/"}));
}

}  // namespace
}  // namespace filecall::worker::kube
