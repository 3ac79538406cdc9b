// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"

namespace filecall::client {
namespace {

constexpr OptionSpec kOptions[] = {
    {"root", "DIR", "The root directory (default: $FILECALL_ROOT, else /tmp/copilot-evaluation).",
     ""},
    {"json", "", "Print JSON on standard output.", ""},
    {"allow-shared-root", "", "Accept a root that others own or may write to.", ""},
    {"quiet", "", "Print nothing but errors and what was asked for.", ""},
    {"params", "JSON|@FILE|-",
     "The request's params: a JSON object, a file of it, or standard "
     "input (default: {}).",
     "", "call"},
    {"params", "JSON|@FILE",
     "Params that are set in every request: a JSON object, or a file of it.", "", "run"},
    {"id", "ID", "The request's id (default: a new one). The same id again gives the same answer.",
     ""},
    {"priority", "N", "From -10 to 10, larger first (default: 0).", ""},
    {"timeout-ms", "N", "The request's own timeout_ms, which the worker keeps.", ""},
    {"window", "N", "Requests in flight at most (default: 256).", ""},
    {"timeout", "DURATION", "Longest wait for a response, per attempt (default: 10m).", ""},
    {"attempts", "N", "Attempts before a request is given up (default: 3).", ""},
    {"backoff", "DURATION",
     "Wait before the second attempt, at most; doubled for each further one "
     "(default: 1s).",
     ""},
    {"backoff-max", "DURATION", "Longest wait between attempts (default: 60s).", ""},
    {"max-pause", "DURATION",
     "Answers that say when to come back (rate limits) do not count as attempts while the waits of "
     "a request are shorter than this altogether; 0: they count (default: 1h).",
     ""},
    {"cold-start-delay", "DURATION",
     "Wait before the first request when a server publishes no "
     "status (default: 20s).",
     ""},
    {"start-worker", "", "Start a worker if none runs.", ""},
    {"no-start-worker", "", "Only use a worker that runs already.", ""},
    {"worker-config", "FILE", "Configuration of a worker that is started, or checked.", ""},
    {"durability", "LEVEL",
     "full, file or none: what is on stable storage before a step counts "
     "(default: full).",
     "full file none"},
    {"out", "FILE", "Write results there: one JSON line a request, data included.", ""},
    {"out-openai", "FILE",
     "Write results there as OpenAI's Batch API does; failures beside it, in FILE with "
     ".errors.jsonl for .jsonl.",
     ""},
    {"format", "FORMAT", "What the input's rows are (default: told by their shape).",
     "requests openai-batch jsonl csv tsv", "run"},
    {"prompt", "FILE",
     "Ask every row this text, in which {{COLUMN}} stands for the row's value. Repeatable.", ""},
    {"template", "FILE",
     "The same as a JSON request, or as the params of llm.chat, with {{COLUMN}} in its strings. "
     "Repeatable.",
     ""},
    {"var", "NAME=VALUE", "A variable beside the rows' columns. Repeatable.", ""},
    {"model", "MODEL,...", "Ask each of these models; PROVIDER/MODEL unless --provider is given.",
     "", "run"},
    {"provider", "NAME", "Ask this provider.", "", "run"},
    {"repeat", "N", "Ask everything N times (default: 1).", ""},
    {"seed", "N", "Seed of the first time; further times count it up.", ""},
    {"max-cost", "DOLLARS", "Begin nothing more when the batch has cost this much.", ""},
    {"max-tokens", "N", "Begin nothing more when the batch has used this many tokens.", ""},
    {"max-errors", "N", "Begin nothing more when this many requests were given up.", ""},
    {"prices", "FILE",
     "Prices for answers that have no cost: {\"MODEL\": {\"input\": 0.4, \"output\": 1.6}}, in US$ "
     "a "
     "million tokens; \"PROVIDER/MODEL\" counts more, \"*\" is any model.",
     ""},
    {"dry-run", "", "Drop nothing; print the plan, and an estimate of tokens and cost.", "", "run"},
    {"cache", "DIR",
     "Take answers that were given before from there, and keep new ones: of temperature 0, with a "
     "seed, and embeddings; never errors.",
     ""},
    {"cache-all", "", "Cache answers that may differ the next time, too.", ""},
    {"report", "DIR", "Write report.html, summary.json and results.csv there.", ""},
    {"counts", "", "Only how many requests there are in each state, and the worker.", ""},
    {"read", "", "Open every answer that nobody has read, however many there are.", ""},
    {"state", "STATE", "Only requests in this state.", "NEW POLLING WAITING SUCCESS GAVE_UP"},
    {"batch", "NAME", "Only requests of this batch.", ""},
    {"limit", "N", "List at most N requests, 0: all (default: 20 as text, all as JSON).", ""},
    {"failed", "", "All requests that were given up.", ""},
    {"older-than", "DURATION", "Only requests that ended longer ago than this.", ""},
    {"dry-run", "", "Only say what would be removed.", ""},
    {"patience", "DURATION", "How long to wait for the worker's answer (default: 5s).", ""},
    {"grace", "DURATION", "How long the worker may finish what it runs (default: 35s).", ""},
    {"now", "", "Do not wait for what the worker runs.", ""},
    {"lines", "N", "Lines of the log's end (default: 50).", ""},
    {"check", "", "Only read the specification and say what is in it.", ""},
    {"follow", "", "Go on until everything that is selected has ended.", ""},
    {"log-file", "FILE", "Log of a worker that is started (default: worker/log in the root).", ""},
    {"format", "FORMAT",
     "terminal, csv, json, junit, html, or all of the last four (default: "
     "terminal).",
     "terminal csv json junit html all", "report"},
    {"out", "FILE|DIR", "Write the report there instead of on standard output.", "", "report"},
    {"eval", "NAME", "The evaluation to report on (default: the only one there is).", ""},
    {"model", "NAME", "Only answers of this model.", ""},
    {"prompt-name", "NAME", "Only requests made with the prompt of this name.", ""},
    {"provider", "NAME", "Only requests to this provider.", ""},
    {"min-score", "SHARE", "Exit with 4 when a model's mean score is lower, e.g. 0.8 or 80%.", ""},
    {"max-error-rate", "SHARE",
     "Exit with 4 when more of a model's requests were given up or "
     "could not be graded; up to that, given-up requests do not count as a failure.",
     ""},
    {"fail-on-regression", "",
     "Exit with 4 when a model's score fell by more than chance explains (p < 0.05).", ""},
    {"max-drop", "SHARE", "Exit with 4 when a model's score fell by more than this, e.g. 0.02.",
     ""},
    {"bootstrap-seed", "N",
     "Take intervals from 10 000 resamples of the items, drawn with this seed, instead of from "
     "Student's t.",
     ""},
};

}  // namespace

std::span<const OptionSpec> all_options() { return kOptions; }

const OptionSpec* find_option(std::string_view name, std::string_view command) {
  static constexpr OptionSpec kHelp = {"help", "", "Print this help.", "", ""};
  const OptionSpec* found = name == "help" ? &kHelp : nullptr;
  for (const OptionSpec& option : kOptions) {
    if (option.name != name) continue;
    if (option.command == command) return &option;
    if (option.command.empty() || command.empty()) found = &option;
  }
  return found;
}

}  // namespace filecall::client
