// SPDX-License-Identifier: MIT
#include "client/runs/run_difference.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "client/runs/run_items.h"

namespace filecall::client {
namespace {

Json apart_json(const ListedApart& apart) {
  return {{"count", apart.count}, {"request_ids", apart.ids}};
}

/// Null: it is no conversation.
Json conversation_of(const Json& metadata) {
  return metadata.is_object() ? metadata.value("conversation", Json()) : Json();
}

struct ListedHashes {
  std::uint64_t metadata = 0;
  std::uint64_t conversation = 0;
};

ListedHashes hashes_of(const RunItem& item) {
  return {hash64(dump_json(item.metadata)), hash64(dump_json(conversation_of(item.metadata)))};
}

Json turn_in(const Json& conversation, std::size_t at) {
  const Json turns = conversation.is_object() ? conversation.value("turns", Json()) : Json();
  return turns.is_array() && at < turns.size() ? turns[at] : Json();
}

std::size_t turns_in(const Json& conversation) {
  const Json turns = conversation.is_object() ? conversation.value("turns", Json()) : Json();
  return turns.is_array() ? turns.size() : 0;
}

Json conversations_json(const RunDifference& difference) {
  Json json = {{"count", difference.other_conversations}, {"changes", Json::array()}};
  for (const ConversationChange& change : difference.conversations) {
    Json one = {
        {"request_id", change.request_id}, {"turns", Json::array()}, {"other", change.other}};
    for (const TurnChange& turn : change.turns) {
      one["turns"].push_back({{"turn", turn.turn}, {"a", turn.a}, {"b", turn.b}});
    }
    json["changes"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

ConversationChange compare_conversations(const std::string& request_id, const Json& a,
                                         const Json& b) {
  ConversationChange change{.request_id = request_id, .turns = {}, .other = {}};
  for (std::size_t i = 0; i < std::max(turns_in(a), turns_in(b)); ++i) {
    Json of_a = turn_in(a, i);
    Json of_b = turn_in(b, i);
    if (of_a != of_b) change.turns.push_back({i + 1, std::move(of_a), std::move(of_b)});
  }
  std::set<std::string> names;
  for (const Json* one : {&a, &b}) {
    if (!one->is_object()) continue;
    for (const auto& [name, value] : one->items()) names.insert(name);
  }
  names.erase("turns");
  for (const std::string& name : names) {
    const Json of_a = a.is_object() ? a.value(name, Json()) : Json();
    const Json of_b = b.is_object() ? b.value(name, Json()) : Json();
    if (of_a != of_b) change.other.push_back(name);
  }
  return change;
}

Result<RunDifference> compare_run_lists(const spool::Layout& layout, const RunRecord& a,
                                        const RunRecord& b) {
  RunDifference found;
  found.setup = Json::diff(a.plan.setup, b.plan.setup);
  std::unordered_map<std::uint64_t, ListedHashes> of_b;  // By the hash of the id.
  std::map<std::string, Json> named;  // Conversations of A that are other ones in B.
  TRY(RunItems(layout, b).each([&](const RunItem& item) -> Result<bool> {
    of_b[hash64(item.request_id)] = hashes_of(item);
    return true;
  }));
  std::unordered_map<std::uint64_t, bool> in_a;
  TRY(RunItems(layout, a).each([&](const RunItem& item) -> Result<bool> {
    const std::uint64_t id = hash64(item.request_id);
    in_a[id] = true;
    const auto same = of_b.find(id);
    if (same == of_b.end()) {
      found.only_a.add(item.request_id);
      return true;
    }
    ++found.in_both;
    const ListedHashes hashes = hashes_of(item);
    if (same->second.metadata != hashes.metadata) found.other_metadata.add(item.request_id);
    if (same->second.conversation == hashes.conversation) return true;
    ++found.other_conversations;
    if (named.size() < ListedApart::kNamed) {
      named[item.request_id] = conversation_of(item.metadata);
    }
    return true;
  }));
  TRY(RunItems(layout, b).each([&](const RunItem& item) -> Result<bool> {
    if (!in_a.contains(hash64(item.request_id))) found.only_b.add(item.request_id);
    if (const auto a_has = named.find(item.request_id); a_has != named.end()) {
      found.conversations.push_back(
          compare_conversations(item.request_id, a_has->second, conversation_of(item.metadata)));
    }
    return true;
  }));
  return found;
}

Json run_difference_json(const RunRecord& a, const RunRecord& b, const RunDifference& difference) {
  return {{"a", a.run_id},
          {"b", b.run_id},
          {"setup", difference.setup},
          {"in_both", difference.in_both},
          {"only_a", apart_json(difference.only_a)},
          {"only_b", apart_json(difference.only_b)},
          {"other_metadata", apart_json(difference.other_metadata)},
          {"other_conversations", conversations_json(difference)}};
}

}  // namespace filecall::client
