// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include "../bench_io.h"

/// The same echo work over something else than files. A peer program is
///
///   PEER ADDRESS worker             serves until it is ended
///   PEER ADDRESS latency N          p50_us, p99_us of N round trips, one at a time
///   PEER ADDRESS throughput N W     N requests, W in flight: per_s
///
/// and a type `Peer` with Peer(address, is_worker), serve(), send(body), int receive() (waits; how
/// many answers came).
namespace filecall::bench {

constexpr const char* kBody =
    "{\"request_id\":\"r0123456789abcdef-0000000\",\"command\":\"system.echo\",\"params\":{"
    "\"text\":\"hello\",\"number\":42}}";

template <typename Peer>
void latency(Peer& peer, int count) {
  std::vector<std::int64_t> ns;
  for (int i = 0; i < count; ++i) {
    const std::int64_t begin = now_ns();
    peer.send(kBody);
    peer.receive();
    ns.push_back(now_ns() - begin);
  }
  std::sort(ns.begin(), ns.end());
  std::printf("{\"p50_us\": %.1f, \"p99_us\": %.1f}\n",
              static_cast<double>(ns[ns.size() / 2]) / 1e3,
              static_cast<double>(ns[ns.size() * 99 / 100]) / 1e3);
}

template <typename Peer>
void throughput(Peer& peer, int count, int window) {
  const std::int64_t begin = now_ns();
  int sent = 0, answered = 0;
  while (answered < count) {
    for (; sent < count && sent - answered < window; ++sent) peer.send(kBody);
    answered += peer.receive();
  }
  std::printf("{\"per_s\": %.0f}\n", count / (static_cast<double>(now_ns() - begin) / 1e9));
}

template <typename Peer>
int peer_main(int argc, char** argv) {
  must(argc >= 3, "usage: PEER ADDRESS worker | latency N | throughput N W");
  const std::string mode = argv[2];
  Peer peer(argv[1], mode == "worker");
  if (mode == "worker") peer.serve();
  if (mode == "latency") latency(peer, std::atoi(argv[3]));
  if (mode == "throughput") throughput(peer, std::atoi(argv[3]), std::atoi(argv[4]));
  return 0;
}

}  // namespace filecall::bench
