// SPDX-License-Identifier: MIT
#include "client/cli/dry_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "client/batch/run_plan.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/report/text_layout.h"
#include "client/turns/runner/stored_conversations.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::size_t kWaitsShown = 50;
constexpr const char* kBasis =
    "Estimated: for a model with responses from earlier runs, by their mean; else a token of input "
    "for "
    "every 4 bytes of text (images are not counted), and of output from none to max_tokens. Later "
    "turns of a conversation are reckoned with short answers and no calls of tools before them.";

Result<RunPlan> make_plan(const Arguments& arguments, Batch& batch) {
  std::unique_ptr<Ledger> ledger;
  std::error_code status;
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  if (std::filesystem::exists(layout.client_database(), status)) {
    TRY_ASSIGN(ledger, open_ledger_to_read(arguments));
  }
  StoredConversations feed(batch.feed(), layout, true);
  return plan_run(feed, [&ledger](const std::string& id) -> Result<std::optional<Spend>> {
    if (!ledger) return std::optional<Spend>();
    TRY_ASSIGN(const auto entry, ledger->find(id));
    return entry && is_final(entry->state) ? std::optional(entry->spend) : std::nullopt;
  });
}

template <typename Format>
std::string range_text(const EstimatedRange& estimate, const Format& format) {
  const std::string least = format(estimate.least);
  if (!estimate.most) return least + " or more";
  const std::string most = format(*estimate.most);
  return least == most ? least : least + " to " + most;
}

std::string tokens_text(double tokens) {
  return human_count(static_cast<std::int64_t>(std::llround(tokens)));
}

std::string cost_text(const PlanRow& row, const TokenPrices& prices) {
  if (!row.asks_model) return "";
  if (row.left() == 0) return human_cost(0);
  const auto cost = estimated_cost(row, prices);
  return cost ? range_text(*cost, human_cost) : "no price";
}

void print_plan(const std::string& name, const RunPlan& plan, const TokenPrices& prices) {
  const PlanRow total = plan.total();
  print(fmt::format("{}: {}, {} of them ended in earlier runs; nothing was dropped\n\n",
                    one_line(name, 60), counted_noun(total.requests, "request"),
                    human_count(total.ended)));
  std::vector<std::vector<std::string>> rows = {{"asks", "requests", "left", "tokens", "cost"}};
  for (const auto& [asked, row] : plan.rows()) {
    rows.push_back({one_line(asked, 60), human_count(row.requests), human_count(row.left()),
                    row.asks_model ? range_text(estimated_tokens(row), tokens_text) : "",
                    cost_text(row, prices)});
  }
  print(table(rows, {1, 2}));
  print(fmt::format("\n{}\nPrices: --prices FILE, or those in --worker-config FILE.\n", kBasis));
  if (!plan.sample().empty()) {
    const Json sample = Json::parse(plan.sample(), nullptr, false);
    print(fmt::format("\nFirst request:\n{}\n", dump_json(sample, 2)));
  }
}

Json estimate_json(const EstimatedRange& estimate) {
  Json json = {{"least", estimate.least}, {"most", nullptr}};
  if (estimate.most) json["most"] = *estimate.most;
  return json;
}

Json plan_json(const std::string& name, const RunPlan& plan, const TokenPrices& prices) {
  const PlanRow total = plan.total();
  Json json = {{"batch", name},           {"requests", total.requests},
               {"ended", total.ended},    {"left", total.left()},
               {"basis", kBasis},         {"asks", Json::array()},
               {"first_request", nullptr}};
  for (const auto& [asked, row] : plan.rows()) {
    Json out = {{"name", asked}, {"requests", row.requests}, {"left", row.left()}};
    if (row.asks_model) {
      out["tokens"] = estimate_json(estimated_tokens(row));
      const auto cost = estimated_cost(row, prices);
      out["cost"] = cost ? estimate_json(*cost) : Json();
    }
    json["asks"].push_back(std::move(out));
  }
  if (!plan.sample().empty()) {
    json["first_request"] = Json::parse(plan.sample(), nullptr, false);
  }
  return json;
}

/// The waiting requests in the input's order.
std::vector<WaitPlan::Node> waiting_nodes(const WaitPlan& waits) {
  std::vector<WaitPlan::Node> nodes;
  for (WaitPlan::Node node = 0; node < waits.graph().size(); ++node) {
    if (waits.graph().predecessor_count(node) > 0) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end(), [&](WaitPlan::Node a, WaitPlan::Node b) {
    return std::pair(waits.position(a), a) < std::pair(waits.position(b), b);
  });
  return nodes;
}

void print_waits(const WaitPlan& waits) {
  const std::vector<WaitPlan::Node> nodes = waiting_nodes(waits);
  print(fmt::format(
      "\n{} for others, the longest chain has {}:\n",
      counted_noun(static_cast<std::int64_t>(nodes.size()), "request waits", "requests wait"),
      human_count(waits.graph().depth() + 1)));
  for (std::size_t i = 0; i < std::min(nodes.size(), kWaitsShown); ++i) {
    const bool is_end = waits.graph().mode(nodes[i]) == AfterAny::kEnd;
    print(fmt::format("  {} waits for {}{}\n", one_line(waits.id(nodes[i]), 60),
                      one_line(waits.predecessors_text(nodes[i], 5), 300),
                      is_end ? " to end" : ""));
  }
  if (nodes.size() > kWaitsShown) {
    print(fmt::format("  ... and {} more; --json has all\n",
                      human_count(static_cast<std::int64_t>(nodes.size() - kWaitsShown))));
  }
}

Json waits_json(const WaitPlan& waits) {
  Json rows = Json::array();
  for (const WaitPlan::Node node : waiting_nodes(waits)) {
    Json after = Json::array();
    for (const WaitPlan::Node one : waits.graph().predecessors(node))
      after.push_back(waits.id(one));
    rows.push_back({{"request_id", waits.id(node)},
                    {"after", std::move(after)},
                    {"after_any", to_string(waits.graph().mode(node))}});
  }
  return rows;
}

}  // namespace

int print_dry_run(const Arguments& arguments, const std::string& name, const RunPlan& plan,
                  const TokenPrices& prices, const WaitPlan* waits) {
  const bool has_waits = waits != nullptr && !waits->empty();
  if (arguments.has("json")) {
    Json json = plan_json(name, plan, prices);
    if (has_waits) json["waits"] = waits_json(*waits);
    print_json(json);
  } else {
    print_plan(name, plan, prices);
    if (has_waits) print_waits(*waits);
  }
  return kExitSuccess;
}

Result<int> print_dry_run(const Arguments& arguments, Batch& batch, const TokenPrices& prices) {
  TRY_ASSIGN(const RunPlan plan, make_plan(arguments, batch));
  return print_dry_run(arguments, batch.name(), plan, prices, &batch.waits());
}

}  // namespace filecall::client
