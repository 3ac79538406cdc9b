// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/client/api_path.h"

namespace filecall::worker::kube {
namespace {

TEST(NearNames, AreSaidWithTheFailure) {
  Failure failure = Failure::of({ErrorCode::kNotFound, "not there"});
  add_near_names(failure, "wep", {"api", "web", "db"});
  EXPECT_EQ(failure.message, "not there; did you mean web?");
  EXPECT_EQ(failure.details, Json::parse(R"({"nearest": ["web"]})"));
}

TEST(NearNames, AreAllThatThereIsWhenTheyAreFew) {
  EXPECT_EQ(near_names("zzz", {"api", "web"}), "; there is: api, web");
  EXPECT_EQ(near_names("zzz", std::vector<std::string>(11, "web")), "");
  EXPECT_EQ(near_names("zzz", {}), "");
}

TEST(NearNames, AreLookedForInTheCollection) {
  EXPECT_EQ(collection_of("/apis/apps/v1/namespaces/shop/deployments/web", "web"),
            "/apis/apps/v1/namespaces/shop/deployments");
  EXPECT_EQ(collection_of("/api/v1/namespaces/web/pods/web/log?tailLines=7", "web"),
            "/api/v1/namespaces/web/pods");
  EXPECT_EQ(collection_of("/api/v1/namespaces/shpo/configmaps", "shpo"), "/api/v1/namespaces");
  EXPECT_EQ(collection_of("/apis/g/v1/roles/a%3Ab", "a:b"), "/apis/g/v1/roles");
  EXPECT_EQ(collection_of("/api/v1/namespaces/shop/pods/web-1", "web"), "");
  EXPECT_EQ(collection_of("/api/v1/nodes", ""), "");
  EXPECT_EQ(collection_of("/version", "version"), "");
}

}  // namespace
}  // namespace filecall::worker::kube
