// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/preview_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kNow = 1'700'000'000;
constexpr std::int64_t kValidity = 900;
const Json kPreviewed = {{"kind", "ConfigMap"}, {"metadata", {{"name", "c"}}}};

WritePlan plan_of(WriteStrategy strategy, const Json& body, const Precondition& precondition = {},
                  const WriteOptions& options = {}) {
  auto plan = plan_write(strategy, body, precondition, options);
  EXPECT_TRUE(plan);
  return plan ? *plan : WritePlan();
}

class PreviewDigest : public testing::Test {
 protected:
  BoundWrite write(const WritePlan& plan) const { return {"https://a", "c", "/p", plan}; }
  std::string mistake(const BoundWrite& write, std::int64_t now_s = kNow) const {
    return mistake_of_digest(key_, write, digest_, now_s, kValidity);
  }

  const DigestKey key_{};
  const WritePlan plan_ = plan_of(WriteStrategy::kApply, kPreviewed);
  const std::string digest_ = preview_digest(key_, write(plan_), {kNow, "0a1b"});
};

TEST_F(PreviewDigest, IsForTheWriteThatWasPreviewed) {
  EXPECT_EQ(mistake(write(plan_of(WriteStrategy::kApply, kPreviewed))), "");
}

TEST_F(PreviewDigest, IsForNoOtherWrite) {
  Json other = kPreviewed;
  other["data"]["a"] = "b";
  const WritePlan others[] = {plan_of(WriteStrategy::kCreate, kPreviewed),
                              plan_of(WriteStrategy::kApply, other),
                              plan_of(WriteStrategy::kApply, kPreviewed, {"u", "7"}),
                              plan_of(WriteStrategy::kApply, kPreviewed, {}, {.force = true})};
  for (const WritePlan& plan : others)
    EXPECT_THAT(mistake(write(plan)), HasSubstr("not the write"));
  EXPECT_NE(mistake({"https://b", "c", "/p", plan_}), "");
  EXPECT_NE(mistake({"https://a", "other", "/p", plan_}), "");
  EXPECT_NE(mistake({"https://a", "c", "/q", plan_}), "");
  DigestKey other_key;
  other_key.bytes.fill(1);
  EXPECT_NE(mistake_of_digest(other_key, write(plan_), digest_, kNow, kValidity), "");
}

TEST_F(PreviewDigest, IsForOneStateOfTheObject) {
  const auto with = [&](const Precondition& state) {
    const WritePlan plan = plan_of(WriteStrategy::kDelete, nullptr, state);
    return preview_digest(key_, write(plan), {kNow, "0a1b"});
  };
  EXPECT_EQ(with({"u", "7"}), with({"u", "7"}));
  EXPECT_NE(with({"u", "7"}), with({"u", "8"}));
  EXPECT_NE(with({"u", "7"}), with({"v", "7"})) << "made anew under its name";
  EXPECT_NE(with({"u", "7"}), with({})) << "not there";
}

TEST_F(PreviewDigest, Expires) {
  EXPECT_EQ(mistake(write(plan_), kNow + kValidity), "");
  EXPECT_THAT(mistake(write(plan_), kNow + kValidity + 1), HasSubstr("901 s old"));
  EXPECT_EQ(mistake(write(plan_), kNow - 30), "") << "clocks differ";
  EXPECT_THAT(mistake(write(plan_), kNow - 3600), HasSubstr("future"));
}

TEST_F(PreviewDigest, CannotBeGivenALongerLifeOrAnotherId) {
  const std::string mac = digest_.substr(digest_.rfind(':'));
  for (const std::string stamp : {"v2:1700009999:0a1b", "v2:1700000000:0a1c"}) {
    EXPECT_THAT(mistake_of_digest(key_, write(plan_), stamp + mac, kNow, kValidity),
                HasSubstr("not the write"));
  }
}

TEST_F(PreviewDigest, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "v1:0123", "v2:", "v2:x:0a:0b", "v2:1:../../x:0b", "v2:1:0a:", "v2:1:0a:Z",
        "v3:1:0a:0b", "v2:99999999999999999999:0a:0b", "v2:1 :0a:0b"}) {
    EXPECT_FALSE(stamp_of_digest(text)) << text;
    EXPECT_THAT(mistake_of_digest(key_, write(plan_), text, kNow, kValidity),
                HasSubstr("no digest of kube.diffResource"));
  }
}

}  // namespace
}  // namespace filecall::worker::kube
