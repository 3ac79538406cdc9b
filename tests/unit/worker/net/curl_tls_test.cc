// SPDX-License-Identifier: MIT
#include "worker/net/curl_tls.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

TEST(RenameHost, PutsTheNameIntoTheUrlAndTheAddressBesideIt) {
  struct Case {
    const char *url, *renamed, *connect_to, *host;
  };
  const Case cases[] = {
      {"https://10.0.0.1:6443/api", "https://n:6443/api", "n:6443:10.0.0.1:6443", "10.0.0.1:6443"},
      {"https://h/p/q", "https://n:443/p/q", "n:443:h:443", "h"},
      {"https://[::1]:8443/x", "https://n:8443/x", "n:8443:[::1]:8443", "[::1]:8443"},
      {"https://[fe80::1]", "https://n:443", "n:443:[fe80::1]:443", "[fe80::1]"},
  };
  for (const Case& c : cases) {
    const RenamedUrl renamed = rename_host(c.url, "n");
    EXPECT_EQ(renamed.url, c.renamed);
    EXPECT_EQ(renamed.connect_to, c.connect_to);
    EXPECT_EQ(renamed.host, c.host);
  }
}

}  // namespace
}  // namespace filecall::worker
