// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/helm_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/release_secrets.h"

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

/// gzip of `{"name":"web"}`.
const std::string kPacked = "H4sIAAAAAAACA6tWykvMTVWyUipPTVKqBQAf5mG9DgAAAA==";

TEST(HelmStorage, ReadsTheNamesOfItsObjects) {
  EXPECT_EQ(parse_helm_object_name("sh.helm.release.v1.web.v12"), (HelmObjectName{"web", 12}));
  EXPECT_EQ(parse_helm_object_name("sh.helm.release.v1.a.v2.b.v3"), (HelmObjectName{"a.v2.b", 3}));
  for (const char* name :
       {"web", "sh.helm.release.v1.web", "sh.helm.release.v1..v1", "sh.helm.release.v1.web.v",
        "sh.helm.release.v1.web.v0", "sh.helm.release.v1.web.v1x", "sh.helm.release.v1.web.v-1",
        "sh.helm.release.v1.web.v99999999999999999999", ""}) {
    EXPECT_FALSE(parse_helm_object_name(name)) << name;
  }
}

TEST(HelmStorage, UnpacksABoundedRelease) {
  EXPECT_EQ(unpack_helm_release(kPacked, 1000).value(), R"({"name":"web"})");
  EXPECT_THAT(unpack_helm_release(kPacked, 10).error().message, HasSubstr("more than 10 bytes"));
  EXPECT_EQ(unpack_helm_release(base64_encode("{}"), 10).value(), "{}") << "not packed";
  EXPECT_FALSE(unpack_helm_release(base64_encode(std::string(11, ' ')), 10));
  EXPECT_FALSE(unpack_helm_release("no base64!", 1000));
}

TEST(HelmStorage, RefusesWhatIsCutOrBroken) {
  const std::string bytes = base64_decode(kPacked).value();
  for (std::size_t length = 3; length < bytes.size(); ++length) {
    EXPECT_FALSE(unpack_helm_release(base64_encode(bytes.substr(0, length)), 1000)) << length;
  }
  for (std::size_t at = 10; at < bytes.size(); ++at) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ 0x55);
    // Whatever it says then, it ends; the checksum at the end sees most of it.
    (void)unpack_helm_release(base64_encode(broken), 1000);
  }
  std::string wrong_sum = bytes;
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_FALSE(unpack_helm_release(base64_encode(wrong_sum), 1000));
}

TEST(HelmStorage, TakesWhatIsOfUseFromARelease) {
  const HelmRelease release = read_helm_release(Json::parse(R"({
    "name": "web", "namespace": "shop", "version": 7, "config": {"a": 1},
    "info": {"status": "deployed", "last_deployed": "2026-01-01T00:00:00Z"},
    "chart": {"metadata": {"name": "nginx", "version": "15.1", "appVersion": "1.25"}},
    "manifest": "---\n# Source: x\nkind: Service\nmetadata: {name: web}\n--- \nkind: [\n---\n",
    "hooks": [{"manifest": "kind: Job\nmetadata: {name: setup}\n"}]})"));
  EXPECT_EQ(release.summary.dump(),
            R"({"appVersion":"1.25","chart":"nginx","chartVersion":"15.1",)"
            R"("lastDeployed":"2026-01-01T00:00:00Z","name":"web","namespace":"shop",)"
            R"("revision":7,"status":"deployed"})");
  EXPECT_EQ(release.values, Json::parse(R"({"a": 1})"));
  ASSERT_EQ(release.objects.size(), 2U);
  EXPECT_EQ(release.objects[0].at("kind"), "Service");
  EXPECT_EQ(release.objects[1].at("hook"), true);
  EXPECT_EQ(release.unreadable, 1U);
  EXPECT_FALSE(release.may_hide_secret);
}

TEST(HelmStorage, NoticesASecretThatCannotBeRead) {
  EXPECT_TRUE(
      read_helm_release({{"manifest", "kind: Secret\ndata: {a: b, a: c}\n"}}).may_hide_secret);
  const HelmRelease release = read_helm_release(
      {{"manifest",
        "--- {kind: Secret, metadata: {name: s}, stringData: {a: b}}\n--- # A note\n"
        "kind: ConfigMap\nmetadata: {name: c}\n"}});
  EXPECT_EQ(release.objects.size(), 2U) << "one begins on the line of its border";
}

TEST(HelmStorage, SurvivesWhatIsNoRelease) {
  for (const char* text : {"null", "[]", R"({"info": 7, "chart": [], "config": "x", "hooks": {}})",
                           R"({"hooks": [1, {"manifest": 2}], "manifest": null})"}) {
    const HelmRelease release = read_helm_release(Json::parse(text));
    EXPECT_TRUE(release.objects.empty() && release.values.empty()) << text;
  }
}

ReleaseSecrets some_secrets() {
  ReleaseSecrets out;
  const std::string file = "db:\n  host: h\n  val: Orange-Tiger-44\n  port: 54321\n  n: 17\n";
  const std::string other = R"({"quoted": "a\"b\\c", "url": "amqp://u:Key9@mq/"})";
  out.learn({{"kind", "Secret"}, {"data", {{"f", base64_encode(file)}}}});
  out.learn({{"kind", "List"},
             {"items", {{{"kind", "Secret"}, {"data", {{"f", base64_encode(other)}}}}}}});
  out.learn({{"kind", "Secret"},
             {"stringData", {{"a", "771234"}, {"b", "Abc1"}, {"c", "password1"}, {"d", "xy\n"}}}});
  out.learn({{"kind", "ConfigMap"}, {"data", {{"e", "everybody"}}}});
  return out;
}

TEST(ReleaseSecrets, AreFoundAmongTheValuesOfTheirRelease) {
  const ReleaseSecrets secrets = some_secrets();
  for (const char* held :
       {R"("Orange-Tiger-44")", R"("Orange-Tiger-44\n")", "54321", R"("54321")", R"("a\"b\\c")",
        R"("Key9")", R"("771234")", "771234", R"("Abc1")", R"("password1")", R"("xy")"}) {
    EXPECT_TRUE(secrets.hold(Json::parse(held))) << held;
  }
  for (const char* shown : {R"("everybody")", R"("h")", "17", R"("17")", "true", "null", R"("")",
                            R"("Tige")", R"("blue")", "5432", "[]"}) {
    EXPECT_FALSE(secrets.hold(Json::parse(shown))) << shown;
  }
}

TEST(ReleaseSecrets, AreHiddenAndNamed) {
  const ReleaseSecrets secrets = some_secrets();
  Redactor redactor{DigestKey()};
  const Json body = Json::parse(
      R"({"name": "Abc1", "values": {"x": ["Abc1", 771234, true], "y": {"z": "plain"}}})");
  const Json out = redactor.redact(
      body, {}, [&](Json& all, Places& places) { secrets.find(all["values"], places); });
  EXPECT_THAT(out["values"]["x"].dump(), testing::Not(HasSubstr("Abc1")));
  EXPECT_THAT(out["values"]["x"].dump(), testing::Not(HasSubstr("771234")));
  EXPECT_EQ(out["values"]["x"][2], true);
  EXPECT_EQ(out["values"]["y"]["z"], "plain");
  ASSERT_EQ(redactor.notes().size(), 2U);
  EXPECT_EQ(redactor.notes()[0].path, "/values/x/0");
  EXPECT_EQ(redactor.notes()[0].why, "value of a Secret of the release");
}

TEST(HelmStorage, IsHiddenInAConfigMap) {
  const auto shown = [](const char* text) {
    Redactor redactor{DigestKey()};
    Json out = redactor.redact(Json::parse(text), {"", "ConfigMap"});
    if (!redactor.notes().empty()) {
      EXPECT_EQ(redactor.notes()[0].why, "a Helm release");
    }
    return out["data"]["release"].get<std::string>();
  };
  EXPECT_THAT(shown(R"({"kind": "ConfigMap", "metadata": {"name": "sh.helm.release.v1.web.v1"},
                        "data": {"release": "H4sIAAAA"}})"),
              HasSubstr("redacted"));
  EXPECT_THAT(shown(R"({"metadata": {"name": "other", "labels": {"owner": "helm"}},
                        "data": {"release": "H4sIAAAA"}})"),
              HasSubstr("redacted"));
  EXPECT_EQ(shown(R"({"kind": "ConfigMap", "metadata": {"name": "other"},
                      "data": {"release": "stable"}})"),
            "stable");
}

}  // namespace
}  // namespace filecall::worker::kube
