// SPDX-License-Identifier: MIT
#include "client/report/items/item_source.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "client/grades/preference_log.h"
#include "client/report/items/saved_report.h"
#include "client/service/known_batch.h"
#include "ipc/json_text.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

class RootSource final : public ItemSource {
 public:
  RootSource(const spool::Layout& layout, std::unique_ptr<Ledger> ledger, RunScope scope,
             ItemFilter filter, PreferenceLog preferences)
      : layout_(layout),
        ledger_(std::move(ledger)),
        scope_(std::move(scope)),
        filter_(std::move(filter)),
        preferences_(std::move(preferences)) {
    filter_.with_digests = !preferences_.empty();
  }

  std::string name() const override {
    std::string text = layout_.root();
    if (!scope_.name().empty()) text = scope_.name() + " in " + text;
    if (scope_.runs().size() == 1) text = "run " + scope_.runs().front().run_id + " of " + text;
    for (const std::string& part : {filter_.model, filter_.prompt, filter_.provider}) {
      if (!part.empty()) text += ", " + part;
    }
    return text;
  }
  std::string evaluation() const override { return filter_.evaluation; }
  std::string root() const override { return layout_.root(); }
  const std::vector<PairRecord>& preferences() const override { return preferences_.records(); }
  Result<void> each(const std::function<void(const ReportItem&)>& visit) override {
    TRY_ASSIGN(damage_, read_items(*ledger_, layout_, scope_, filter_, visit));
    return {};
  }
  std::string damage() const override {
    const bool has_both = !damage_.empty() && !preferences_.damage().empty();
    return damage_ + (has_both ? "\n" : "") + preferences_.damage();
  }

 private:
  spool::Layout layout_;
  std::unique_ptr<Ledger> ledger_;
  RunScope scope_;
  ItemFilter filter_;
  PreferenceLog preferences_;
  std::string damage_;
};

Error no_place(const std::string& place, const std::string& root) {
  return {ErrorCode::kNotFound,
          fmt::format("{}: is neither a root, nor a saved report, nor a batch of {}; 'filecall "
                      "runs list' names batches",
                      excerpt(place, 200), root)};
}

/// `place`: what was taken for the name of a batch; empty: the batch was named as one.
Result<std::unique_ptr<ItemSource>> open_root(const std::string& root, ItemFilter filter,
                                              LedgerOptions options, GradeUse use,
                                              const std::string& place = {}) {
  std::error_code status;
  options.root = std::filesystem::absolute(root, status).lexically_normal().string();
  TRY_ASSIGN(auto ledger, Ledger::open(options));
  const spool::Layout layout = spool::layout_of(options.root);
  const auto known = require_batch(*ledger, layout, filter.choice.batch);
  if (!known && known.error().code == ErrorCode::kNotFound && !place.empty()) {
    return Unexpected(no_place(place, options.root));
  }
  TRY(known);
  PreferenceLog preferences;
  if (use == GradeUse::kRead) {
    TRY_ASSIGN(preferences, PreferenceLog::open(layout, filter.evaluation, *filter.prices));
  }
  TRY_ASSIGN(RunScope scope, RunScope::choose(layout, filter.choice));
  if (use == GradeUse::kRead || !filter.evaluation.empty()) {
    TRY_ASSIGN(filter.evaluation, choose_evaluation(layout, *ledger, scope, filter.evaluation));
  }
  return std::unique_ptr<ItemSource>(std::make_unique<RootSource>(
      layout, std::move(ledger), std::move(scope), std::move(filter), std::move(preferences)));
}

}  // namespace

const std::vector<PairRecord>& ItemSource::preferences() const {
  static const std::vector<PairRecord> kNone;
  return kNone;
}

Result<RunName> parse_run_name(const std::string& text) {
  RunName name;
  const std::size_t at = text.rfind('@');
  name.place = text.substr(0, at);
  if (at == std::string::npos) return name;
  std::string_view rest = std::string_view(text).substr(at + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    std::string* const member = key == "batch"      ? &name.filter.choice.batch
                                : key == "run"      ? &name.filter.choice.run
                                : key == "model"    ? &name.filter.model
                                : key == "prompt"   ? &name.filter.prompt
                                : key == "provider" ? &name.filter.provider
                                : key == "eval"     ? &name.filter.evaluation
                                                    : nullptr;
    if (member == nullptr || equals == std::string_view::npos || equals + 1 == part.size()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: after @ come KEY=VALUE pairs, separated by commas; keys are "
                              "run, batch, model, prompt, provider, eval",
                              excerpt(text, 120)));
    }
    *member = std::string(part.substr(equals + 1));
  }
  return name;
}

Result<std::unique_ptr<ItemSource>> open_item_source(const std::string& text, bool mixes,
                                                     const LedgerOptions& options,
                                                     const TokenPrices& prices, GradeUse use) {
  TRY_ASSIGN(RunName name, parse_run_name(text));
  name.filter.choice.mixes = mixes;
  name.filter.prices = &prices;
  const std::string place = name.place;
  namespace fs = std::filesystem;
  std::error_code status;
  if (name.place.empty()) return open_root(options.root, std::move(name.filter), options, use);
  if (fs::is_directory(fs::path(name.place) / "requests", status)) {
    return open_root(name.place, std::move(name.filter), options, use);
  }
  if (fs::is_directory(place, status)) name.place += "/summary.json";
  const bool is_report = name.place.ends_with(".json") && fs::is_regular_file(name.place, status);
  if (is_report) return open_saved_report(name.place, std::move(name.filter));
  // Neither: the label of a batch, which is often the name of a file that is there.
  std::string& batch = name.filter.choice.batch;
  if (batch.empty()) batch = fs::path(place).filename().string();
  // A folder that is not there must not become all that the root has.
  if (batch.empty()) return Unexpected(no_place(place, options.root));
  return open_root(options.root, std::move(name.filter), options, use, place);
}

}  // namespace filecall::client
