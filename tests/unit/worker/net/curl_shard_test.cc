// SPDX-License-Identifier: MIT
#include "worker/net/curl_shard.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace filecall::worker {
namespace {

TEST(CurlShard, TellsFewOfTheEndsThatCameTogetherInOneTurnOfTheLoop) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  uv_loop_t loop;
  uv_loop_init(&loop);
  int ends = 0;
  std::unique_ptr<CurlShard> shard;
  shard = std::make_unique<CurlShard>(
      &loop, 8,
      [&](CURL* easy, CURLcode code) {
        EXPECT_EQ(code, CURLE_UNSUPPORTED_PROTOCOL);
        shard->remove(easy);
        curl_easy_cleanup(easy);
        ++ends;
      },
      [] {});
  constexpr int kTransfers = 20;
  for (int i = 0; i < kTransfers; ++i) {
    CURL* easy = curl_easy_init();
    // Refused by libcurl itself, all of them while it begins with them.
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_URL, "ftp://127.0.0.1/");
    shard->add(easy);
  }
  std::vector<int> by_turn;
  while (ends < kTransfers && by_turn.size() < 1000) {
    const int before = ends;
    uv_run(&loop, UV_RUN_NOWAIT);
    by_turn.push_back(ends - before);
  }
  EXPECT_EQ(ends, kTransfers);
  // Four when libcurl ends them, and four when the loop comes by in the same turn.
  for (const int in_turn : by_turn) EXPECT_LE(in_turn, 8);
  EXPECT_EQ(shard->size(), 0u);
  shard.reset();
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(uv_loop_close(&loop), 0);
}

}  // namespace
}  // namespace filecall::worker
