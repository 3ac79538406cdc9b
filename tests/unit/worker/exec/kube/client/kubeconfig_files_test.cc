// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/kubeconfig_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "os/io.h"
#include "worker/exec/kube/client/cluster_access.h"

namespace filecall::worker::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class KubeconfigFilesTest : public testing::Test {
 protected:
  KubeconfigFilesTest() {
    std::string name = testing::TempDir() + "/kubeXXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~KubeconfigFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    const auto file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
    EXPECT_TRUE(file && write_all(file->get(), text, path));
    return path;
  }

  std::string folder_;
};

TEST(FindKubeconfigs, TakesTheFirstPlaceThatSaysAnything) {
  const Environment both{{"KUBECONFIG", "/a::/b:/a"}, {"HOME", "/h"}};
  EXPECT_THAT(find_kubeconfigs("/c", both).paths, ElementsAre("/c"));
  EXPECT_TRUE(find_kubeconfigs("/c", both).must_exist);
  EXPECT_THAT(find_kubeconfigs("", both).paths, ElementsAre("/a", "/b"));
  EXPECT_FALSE(find_kubeconfigs("", both).must_exist);
  EXPECT_THAT(find_kubeconfigs("", {{"HOME", "/h"}}).paths, ElementsAre("/h/.kube/config"));
  EXPECT_THAT(find_kubeconfigs("", {{"KUBECONFIG", ""}}).paths, IsEmpty());
}

TEST_F(KubeconfigFilesTest, SkipsMissingFilesOfAListButNotTheConfiguredOne) {
  const std::string path = write("one", "current-context: a");
  const auto merged = load_kubeconfigs({{folder_ + "/none", path}, false}, {});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->current_context, "a");
  EXPECT_FALSE(load_kubeconfigs({{folder_ + "/none"}, true}, {}));
}

TEST_F(KubeconfigFilesTest, FailsAllWhenOneFileIsBroken) {
  const std::string good = write("good", "current-context: a");
  const auto merged = load_kubeconfigs({{good, write("bad", "clusters: 3")}, false}, {});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, HasSubstr(folder_ + "/bad"));
}

TEST_F(KubeconfigFilesTest, FindsTheServiceAccountOfAPodWhenNothingElseSaysAnything) {
  write("token", "t");
  write("ca.crt", "PEM");
  write("namespace", "shop\n");
  const Environment pod{{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  const auto config = load_kubeconfigs({}, pod, folder_);
  ASSERT_TRUE(config);
  const auto access = choose_access(*config, "");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->context, "in-cluster");
  EXPECT_EQ(access->server, "https://[fd00::1]:443");
  EXPECT_EQ(access->name_space, "shop");
  EXPECT_EQ(access->user.token_file, folder_ + "/token");
  EXPECT_EQ(access->cluster.authority_file, folder_ + "/ca.crt");
  const std::string path = write("config", "current-context: a");
  EXPECT_EQ(load_kubeconfigs({{path}, false}, pod, folder_)->current_context, "a");
  EXPECT_TRUE(load_kubeconfigs({}, {}, folder_)->is_empty()) << "no pod";
  EXPECT_TRUE(load_kubeconfigs({}, pod, folder_ + "/none")->is_empty()) << "no account";
}

TEST_F(KubeconfigFilesTest, ReadsAFileAgainWhenItHasChanged) {
  const std::string path = write("config", "current-context: a");
  KubeconfigFiles files(path, {});
  EXPECT_EQ((*files.current())->current_context, "a");
  const auto version = files.version();
  (void)*files.current();
  EXPECT_EQ(files.version(), version);
  write("config", "current-context: other");
  EXPECT_EQ((*files.current())->current_context, "other");
  EXPECT_GT(files.version(), version);
}

}  // namespace
}  // namespace filecall::worker::kube
