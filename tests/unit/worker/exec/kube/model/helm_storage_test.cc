// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/helm_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"

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
}

TEST(HelmStorage, SurvivesWhatIsNoRelease) {
  for (const char* text : {"null", "[]", R"({"info": 7, "chart": [], "config": "x", "hooks": {}})",
                           R"({"hooks": [1, {"manifest": 2}], "manifest": null})"}) {
    const HelmRelease release = read_helm_release(Json::parse(text));
    EXPECT_TRUE(release.objects.empty() && release.values.empty()) << text;
  }
}

}  // namespace
}  // namespace filecall::worker::kube
