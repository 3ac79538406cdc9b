// SPDX-License-Identifier: MIT
#include "client/core/wait_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/random.h"

namespace filecall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Node = WaitGraph::Node;
using Standing = WaitProgress::Standing;

struct Wait {
  Node waiter;
  Node predecessor;
};

WaitGraph graph_of(std::size_t size, const std::vector<Wait>& waits,
                   const std::set<Node>& after_end = {}) {
  WaitGraph graph;
  for (std::size_t i = 0; i < size; ++i) graph.add_node();
  for (const Wait& wait : waits) graph.add_edge(wait.waiter, wait.predecessor);
  for (const Node node : after_end) graph.set_mode(node, AfterAny::kEnd);
  graph.finish();
  return graph;
}

std::vector<Node> settle(WaitProgress& progress, Node node, bool is_success) {
  std::vector<Node> released;
  progress.settle(node, is_success, released);
  return released;
}

TEST(WaitGraph, ReadsTheTwoModes) {
  EXPECT_EQ(parse_after_any("success"), AfterAny::kSuccess);
  EXPECT_EQ(parse_after_any("end"), AfterAny::kEnd);
  EXPECT_EQ(parse_after_any("any"), std::nullopt);
  for (const AfterAny mode : {AfterAny::kSuccess, AfterAny::kEnd}) {
    EXPECT_EQ(parse_after_any(to_string(mode)), mode);
  }
}

TEST(WaitGraph, CountsAnEdgeThatIsThereTwiceOnce) {
  const WaitGraph graph = graph_of(2, {{1, 0}, {1, 0}});
  EXPECT_THAT(graph.predecessors(1), ElementsAre(0));
  WaitProgress progress(graph);
  EXPECT_THAT(settle(progress, 0, true), ElementsAre(1));
}

TEST(WaitGraph, NamesACycleInTheOrderOfWaiting) {
  struct Row {
    const char* what;
    std::size_t size;
    std::vector<Wait> waits;
    std::vector<Node> cycle;
  };
  const Row rows[] = {
      {"none", 3, {{1, 0}, {2, 1}, {2, 0}}, {}},
      {"itself", 2, {{1, 1}}, {1}},
      {"two", 3, {{0, 1}, {1, 0}, {2, 0}}, {0, 1}},
      {"three, with a tail and a source", 5, {{1, 0}, {1, 2}, {2, 3}, {3, 1}, {4, 3}}, {1, 2, 3}},
      {"empty", 0, {}, {}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(graph_of(row.size, row.waits).find_cycle(), row.cycle) << row.what;
  }
}

TEST(WaitGraph, KnowsTheLongestChain) {
  EXPECT_EQ(graph_of(0, {}).depth(), 0);
  EXPECT_EQ(graph_of(4, {{1, 0}, {2, 1}, {3, 2}, {3, 0}}).depth(), 3);
}

TEST(WaitProgress, FreesWhatWaitsWhenTheLastPredecessorSucceeded) {
  const WaitGraph graph = graph_of(3, {{2, 0}, {2, 1}});
  WaitProgress progress(graph);
  EXPECT_EQ(progress.standing(0), Standing::kFree);
  EXPECT_THAT(settle(progress, 0, true), IsEmpty());
  EXPECT_EQ(progress.standing(2), Standing::kWaits);
  EXPECT_THAT(settle(progress, 1, true), ElementsAre(2));
  EXPECT_EQ(progress.standing(2), Standing::kFree);
}

TEST(WaitProgress, RefusesAtTheFirstFailureAndNamesIt) {
  const WaitGraph graph = graph_of(4, {{3, 0}, {3, 1}, {3, 2}});
  WaitProgress progress(graph);
  settle(progress, 0, true);
  EXPECT_THAT(settle(progress, 1, false), ElementsAre(3));
  EXPECT_EQ(progress.standing(3), Standing::kRefused);
  EXPECT_EQ(progress.cause(3), 1U);
  EXPECT_THAT(settle(progress, 2, false), IsEmpty()) << "it is released once";
  EXPECT_EQ(progress.cause(3), 1U);
}

TEST(WaitProgress, FollowsAnyEndWhereThatIsAskedFor) {
  const WaitGraph graph = graph_of(3, {{2, 0}, {2, 1}}, {2});
  WaitProgress progress(graph);
  EXPECT_THAT(settle(progress, 0, false), IsEmpty());
  EXPECT_THAT(settle(progress, 1, true), ElementsAre(2));
  EXPECT_EQ(progress.standing(2), Standing::kFree);
}

TEST(WaitProgress, CountsAnEndOnce) {
  const WaitGraph graph = graph_of(3, {{2, 0}, {2, 1}});
  WaitProgress progress(graph);
  settle(progress, 0, true);
  EXPECT_THAT(settle(progress, 0, true), IsEmpty());
  EXPECT_EQ(progress.standing(2), Standing::kWaits);
}

/// Asks every predecessor anew, at any time.
Standing standing_by_definition(const WaitGraph& graph, Node node,
                                const std::map<Node, bool>& ended) {
  bool waits = false;
  for (const Node one : graph.predecessors(node)) {
    const auto found = ended.find(one);
    if (found == ended.end()) {
      waits = true;
    } else if (!found->second && graph.mode(node) == AfterAny::kSuccess) {
      return Standing::kRefused;
    }
  }
  return waits ? Standing::kWaits : Standing::kFree;
}

bool reaches(const WaitGraph& graph, Node from, Node to, std::set<Node>& seen) {
  for (const Node one : graph.predecessors(from)) {
    if (one == to) return true;
    if (seen.insert(one).second && reaches(graph, one, to, seen)) return true;
  }
  return false;
}

TEST(WaitGraph, FindsACycleExactlyWhereARequestWaitsForItself) {
  Random random(11);
  int with_cycle = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t size = 1 + random.below(8);
    std::vector<Wait> waits;
    for (std::uint64_t i = random.below(2 * size); i > 0; --i) {
      waits.push_back(
          {static_cast<Node>(random.below(size)), static_cast<Node>(random.below(size))});
    }
    const WaitGraph graph = graph_of(size, waits);
    bool has_cycle = false;
    for (Node node = 0; node < size; ++node) {
      std::set<Node> seen;
      has_cycle = has_cycle || reaches(graph, node, node, seen);
    }
    const std::vector<Node> cycle = graph.find_cycle();
    ASSERT_EQ(!cycle.empty(), has_cycle);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const auto of = graph.predecessors(cycle[i]);
      ASSERT_TRUE(std::count(of.begin(), of.end(), cycle[(i + 1) % cycle.size()]));
    }
    with_cycle += has_cycle ? 1 : 0;
  }
  EXPECT_GT(with_cycle, 200);
  EXPECT_LT(with_cycle, 1800);
}

TEST(WaitProgress, StandsInRandomGraphsAsTheDefinitionSays) {
  Random random(12);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::size_t size = 2 + random.below(12);
    std::vector<Wait> waits;
    for (std::uint64_t i = random.below(3 * size); i > 0; --i) {
      const auto waiter = static_cast<Node>(1 + random.below(size - 1));
      waits.push_back({waiter, static_cast<Node>(random.below(waiter))});
    }
    std::set<Node> after_end;
    for (Node node = 0; node < size; ++node) {
      if (random.below(3) == 0) after_end.insert(node);
    }
    const WaitGraph graph = graph_of(size, waits, after_end);
    ASSERT_THAT(graph.find_cycle(), IsEmpty());
    WaitProgress progress(graph);
    std::map<Node, bool> ended;
    std::multiset<Node> released;
    // Any that may end does: one that is free in either way, one that is refused as given up.
    for (;;) {
      std::vector<Node> open;
      for (Node node = 0; node < size; ++node) {
        const Standing standing = standing_by_definition(graph, node, ended);
        ASSERT_EQ(progress.standing(node), standing);
        if (standing != Standing::kWaits && !ended.contains(node)) open.push_back(node);
        const bool is_released = standing != Standing::kWaits && graph.predecessor_count(node) > 0;
        ASSERT_EQ(released.count(node), is_released ? 1U : 0U);
        if (standing == Standing::kRefused) {
          ASSERT_FALSE(ended.at(progress.cause(node)));
        }
      }
      if (open.empty()) break;
      const Node node = open[random.below(open.size())];
      const bool is_refused = progress.standing(node) == Standing::kRefused;
      refused += is_refused ? 1 : 0;
      ended[node] = !is_refused && random.below(4) != 0;
      for (const Node one : settle(progress, node, ended[node])) released.insert(one);
    }
    ASSERT_EQ(ended.size(), size) << "everything ends";
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace filecall::client
