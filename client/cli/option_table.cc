// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"

namespace filecall::client {
namespace {

constexpr OptionSpec kOptions[] = {
    {"root", "DIR", "The root directory (default: $FILECALL_ROOT, else /tmp/copilot-evaluation).",
     ""},
    {"json", "", "Print JSON on standard output.", ""},
    {"allow-shared-root", "", "Accept a root that others own or may write to.", ""},
    {"quiet", "", "Print only errors and results.", ""},
    {"on-end", "COMMAND",
     "Run it with /bin/sh -c when this has ended, in whatever way, with the summary as JSON on its "
     "standard input and FILECALL_EXIT_CODE. It does not change the exit code.",
     ""},
    {"notify", "URL",
     "POST the summary as JSON there when this has ended, in whatever way; three attempts. A "
     "failure is said and does not change the exit code.",
     ""},
    {"params", "JSON|@FILE|-",
     "The request's params: a JSON object, a file with one, or standard "
     "input (default: {}).",
     "", "call"},
    {"params", "JSON|@FILE", "Params to set in every request: a JSON object, or a file with one.",
     "", "run"},
    {"id", "ID", "The request id (default: a new one). The same id again gives the same response.",
     ""},
    {"priority", "N", "From -10 to 10, larger first (default: 0).", "", "call"},
    {"priority", "N", "Give the requests this priority, from -10 to 10 (default: as they are).", "",
     "retry"},
    {"priority", "N", "Give the requests this priority, from -10 to 10.", "", "edit"},
    {"batch", "NAME", "All requests of this batch that wait; with --priority.", "", "edit"},
    {"set", "PATH=VALUE",
     "Set a member of the request: params.text=hello, or a JSON pointer, /params/text=hello. VALUE "
     "is JSON, else a text. Repeatable.",
     "", "edit", true},
    {"unset", "PATH", "Remove a member of the request. Repeatable.", "", "edit", true},
    {"priority", "N",
     "The priority of requests that state none: from -10 to 10, larger first, among all that "
     "wait in the root's worker for one destination (default: 0).",
     ""},
    {"timeout-ms", "N", "The request's own timeout_ms, which the worker enforces.", ""},
    {"hunks", "LIST",
     "Apply these alone: ids of hunks, files, FILE:ID; with commas between them. Repeatable.", "",
     "proposal", true},
    {"side-by-side", "", "Show old and new lines beside each other.", ""},
    {"merge", "",
     "Compare with the files as they are now, by a request of file.read, and show what both "
     "changed.",
     ""},
    {"window", "N", "The most requests in flight (default: 256).", ""},
    {"timeout", "DURATION", "Longest wait for a response, per attempt (default: 10m).", ""},
    {"attempts", "N", "Attempts before a request is given up (default: 3).", ""},
    {"backoff", "DURATION",
     "The longest wait before the second attempt; it doubles with each further one "
     "(default: 1s).",
     ""},
    {"backoff-max", "DURATION", "Longest wait between attempts (default: 60s).", ""},
    {"max-pause", "DURATION",
     "Responses that say when to come back (rate limits) do not count as attempts until the waits "
     "of "
     "a request add up to this; 0: they always count (default: 1h).",
     ""},
    {"max-outage", "DURATION",
     "How long to wait for a provider that cannot be reached; what fails meanwhile does not count "
     "as an attempt (default: 10m; call: 0).",
     ""},
    {"cold-start-delay", "DURATION",
     "Wait before the first request when a server publishes no "
     "status (default: 20s).",
     ""},
    {"start-worker", "", "Start a worker if none runs.", ""},
    {"no-start-worker", "", "Only use a worker that runs already.", ""},
    {"worker-config", "FILE",
     "The configuration of the worker to start or check (default: that of the root's last worker). "
     "An error when a worker runs with another one. The prices in the FILE count.",
     ""},
    {"forget", "", "Use nothing that the root's last worker was started with.", ""},
    {"durability", "LEVEL",
     "full, journal, file or none: how safely a step is stored before it counts (default: full). "
     "journal is for the worker that is started; the client's own steps are full then.",
     "full journal file none"},
    {"out", "FILE", "Write results there: a JSON line for each request, data included.", ""},
    {"out-openai", "FILE",
     "Write results there as OpenAI's Batch API does. Failures go to FILE with "
     ".errors.jsonl instead of .jsonl.",
     ""},
    {"format", "FORMAT", "The format of the input (default: detected from its shape).",
     "requests openai-batch jsonl csv tsv", "run"},
    {"strict", "", "Members of requests that no program knows are errors, not warnings.", ""},
    {"fresh", "", "Ask everything again, under ids that end with + and a new run id.", ""},
    {"run-id", "ID",
     "The same with a run id of your own, such as a date: asks what was not asked under it yet.",
     ""},
    {"prompt", "FILE", "Ask this text for every row; {{COLUMN}} is the row's value. Repeatable.",
     "", "", true},
    {"template", "FILE",
     "A JSON request, or the params of llm.chat, with {{COLUMN}} in its strings. "
     "Repeatable.",
     "", "", true},
    {"types", "LIST|@FILE",
     "Types of a table's columns: COLUMN=TYPE,... or a YAML file of them. TYPE is text (as without "
     "it), integer, number, boolean or json.",
     ""},
    {"turns", "COLUMN",
     "A conversation: the user's turns stand in this column, a list of texts. A --prompt is the "
     "turn before them.",
     ""},
    {"max-turns", "N", "Refuse rows with more turns than this (default: 50).", ""},
    {"image", "COLUMN",
     "Add the image that this column names, a file or a URL, to the user's first message. "
     "Repeatable.",
     "", "", true},
    {"var", "NAME=VALUE", "A variable in addition to the columns. Repeatable.", "", "", true},
    {"model", "MODEL,...",
     "Ask each of these models; PROVIDER/MODEL unless --provider is given. Repeatable.", "", "run",
     true},
    {"models", "FILE",
     "Ask the models of this YAML file, each with params of its own: models: [{model: M, provider: "
     "P, name: N, params: {}}].",
     "", "run"},
    {"provider", "NAME", "Ask this provider.", "", "run"},
    {"filter", "COLUMN=VALUE",
     "Only rows whose column has this value; COLUMN!=VALUE: another one. Repeatable: all must "
     "hold.",
     "", "run", true},
    {"sample", "N",
     "Only N of these rows, drawn by their content and --sample-seed: the same rows each time.", "",
     "run"},
    {"sample-seed", "N", "The seed of --sample (default: 0).", "", "run"},
    {"limit", "N", "Only the first N of these rows.", "", "run"},
    {"filter", "COLUMN=VALUE",
     "Grade only rows whose column has this value; COLUMN!=VALUE: another one. Repeatable.", "",
     "eval", true},
    {"sample", "N", "Grade only N of these rows, drawn by their names and --sample-seed.", "",
     "eval"},
    {"sample-seed", "N", "The seed of --sample (default: 0).", "", "eval"},
    {"limit", "N", "Grade only the first N of these rows.", "", "eval"},
    {"repeat", "N", "Ask everything N times (default: 1).", ""},
    {"seed", "N", "The seed of the first repeat; it increases by one with each further one.", ""},
    {"max-cost", "DOLLARS",
     "Start no call that could take the cost of the batch beyond this. Reserved for a call are its "
     "input and max_tokens by the model's price, or what earlier calls of the model have cost.",
     ""},
    {"max-tokens", "N", "Start no call that could take the tokens of the batch beyond this.", ""},
    {"all", "", "Also those that were deleted.", "", "thread"},
    {"last", "N", "Show the last N records (default: 50).", "", "thread"},
    {"at", "N", "Fork behind this record of the thread (default: its last one).", "", "thread"},
    {"thread", "ID", "The id of the thread that begins (default: a new one).", "", "thread"},
    {"max-cost", "DOLLARS",
     "End the run when its model has cost this much, or gives an answer without a price.", "",
     "agent"},
    {"max-tokens", "N", "End the run when its model has used this many tokens.", "", "agent"},
    {"max-steps", "N", "End the run after this many steps (default: the scenario's).", "", "agent"},
    {"max-calls", "N", "End the run after this many calls of tools (default: the scenario's).", "",
     "agent"},
    {"max-writes", "N",
     "End the run after this many calls with effects that were not refused; 0: without a limit.",
     "", "agent"},
    {"max-time", "DURATION", "End the run after so long, without the time that it was parked.", "",
     "agent"},
    {"scenario", "NAME|FILE",
     "Instructions, tools, policy and budgets: a built-in scenario, one beside the configuration, "
     "or a file (default: explore).",
     "", "agent"},
    {"thread", "ID", "The thread that the run belongs to (default: default).", "", "agent"},
    {"run", "ID", "Name the run: the same command goes on with it (default: a new one).", "",
     "agent"},
    {"model", "MODEL,...",
     "The model; further ones answer when it does not. PROVIDER/MODEL names the provider. "
     "Repeatable.",
     "", "agent", true},
    {"planner", "KIND", "How the model says what to do: one JSON object, or tool calls.",
     "json tools", "agent"},
    {"editing", "MODE", "How files are changed (default: the scenario's).",
     "direct branch proposal", "agent"},
    {"policy", "FILE", "A policy beside that of the configuration; the strictest rule counts.", "",
     "agent"},
    {"runs", "N", "The most runs at once, in a batch of them (default: 64).", "", "agent"},
    {"repeat", "N", "Run each task N times (default: 1).", "", "agent"},
    {"no-wait", "", "Deny what would wait for a decision.", "", "agent"},
    {"wait", "DURATION",
     "Wait so long for a decision that another process makes; then the run is parked. 0: without "
     "end.",
     "", "agent"},
    {"max-errors", "N", "Start nothing more when this many requests were given up.", ""},
    {"prices", "FILE",
     "Prices for responses without a cost: {\"MODEL\": {\"input\": 0.4, \"output\": 1.6}}, in US$ "
     "a "
     "million tokens. \"PROVIDER/MODEL\" takes precedence; NAME* is any model that begins so; "
     "\"aliases\": [NAME] are other names.",
     ""},
    {"dry-run", "", "Drop nothing; print the plan, and an estimate of tokens and cost.", "", "run"},
    {"dry-run", "",
     "Ask and write nothing; print what judges would be asked, and what it may cost.", "", "eval"},
    {"cache", "DIR",
     "Reuse earlier responses from there, and keep new ones: with temperature 0, with a "
     "seed, and embeddings. Never errors.",
     ""},
    {"cache-all", "", "Also cache responses that may differ the next time.", ""},
    {"report", "DIR", "Write report.html, summary.json and results.csv there.", ""},
    {"counts", "", "Print only the number of requests in each state, and the worker.", ""},
    {"read", "", "Open every unread response, however many there are.", ""},
    {"state", "STATE", "Only requests in this state.", "NEW POLLING WAITING SUCCESS GAVE_UP"},
    {"reason", "TEXT", "Why, for people; it stands in the file.", ""},
    {"batch", "NAME", "Pause this batch: the run that drives it holds it back.", "", "pause"},
    {"batch", "NAME", "Resume this batch.", "", "resume"},
    {"all", "", "End all pauses.", "", "resume"},
    {"batch", "NAME", "Only requests of this batch.", ""},
    {"code", "CODE", "Only requests that ended with this error code.",
     "cancelled unknown invalid_argument deadline_exceeded not_found already_exists "
     "permission_denied resource_exhausted failed_precondition aborted out_of_range "
     "unimplemented internal unavailable data_loss unauthenticated"},
    {"command", "COMMAND", "Only requests of this command, e.g. tool.run.", ""},
    {"run", "RUN",
     "The run to look at: an id, a part of one, latest, or previous, which began directly before "
     "it (default: latest).",
     ""},
    {"mix", "",
     "Take the requests of all runs together, whatever their prompts and labels were, and those of "
     "no run.",
     ""},
    {"limit", "N", "List at most N requests, 0: all (default: 20 as text, all as JSON).", ""},
    {"until-idle", "", "End when everything has ended that nobody else drives.", ""},
    {"failed", "", "All requests that were given up.", ""},
    {"failed", "", "Also those that were given up: nothing is left to retry then.", "", "gc"},
    {"all", "", "Also what was decided.", "", "approvals"},
    {"call", "N",
     "Only this call of the approval, by its number from 1; the others are denied. Repeatable.", "",
     "approve", true},
    {"call", "N",
     "Only this call of the approval, by its number from 1; the others are approved. Repeatable.",
     "", "deny", true},
    {"args", "JSON|@FILE|-", "Run the call with these arguments in the place of its own.", ""},
    {"hunks", "ID,...", "Apply only these hunks of the call. Repeatable.", "", "", true},
    {"scope", "SCOPE",
     "What is approved: the call (once, the default), or also what the rule that 'filecall "
     "approvals' shows allows, for the run, the thread or the project.",
     "once run thread project"},
    {"reason", "TEXT", "Why; it stands in the decision, and the model sees it.", "", "approve"},
    {"reason", "TEXT", "Why; it stands in the decision, and the model sees it.", "", "deny"},
    {"by", "NAME", "Who decides (default: $USER).", "", "approve"},
    {"by", "NAME", "Who decides (default: $USER).", "", "deny"},
    {"tool", "NAME", "The command that the call is of, such as tool.run.", ""},
    {"params", "JSON|@FILE|-", "The call's params: a JSON object (default: {}).", "", "policy"},
    {"policy", "FILE",
     "A policy beside policy.yaml and the scenario's own; the strictest rule that matches wins.",
     ""},
    {"sandbox", "LEVEL",
     "Explain a tool.run in this sandbox (default: workspace-write, without network).",
     "none read-only workspace-write"},
    {"all", "", "Every request of the root that has not ended.", ""},
    {"older-than", "DURATION", "Only requests that ended longer ago than this.", ""},
    {"forget-after", "DURATION",
     "Also remove the tombstones of requests whose files were removed longer ago than this.", ""},
    {"dry-run", "", "Only print what would be removed.", ""},
    {"patience", "DURATION",
     "How long to wait for the worker's responses, all together (default: 5s).", ""},
    {"grace", "DURATION",
     "How long running commands may take to finish (default, and at most: the worker's grace, 30s "
     "unless its configuration says otherwise).",
     ""},
    {"now", "", "Do not wait for running commands.", ""},
    {"lines", "N", "How many of the last lines to print (default: 50).", ""},
    {"check", "", "Only check the specification and print what is in it.", ""},
    {"follow", "", "Continue until every selected request has ended.", ""},
    {"follow", "", "Then print what is added to the log, until Ctrl-C.", "", "worker"},
    {"follow", "",
     "Ask for events (\"stream\": true), and print what the request writes as it comes.", "",
     "call"},
    {"patience", "DURATION", "How long to wait for a request that is not there (default: 5s).", "",
     "follow"},
    {"wait", "", "Let running commands finish, however long that takes; nothing new begins.", ""},
    {"log-file", "FILE",
     "Log of a worker that is started (default: what its configuration says, else worker/log in "
     "the "
     "root).",
     ""},
    {"format", "FORMAT",
     "terminal, csv, json, junit, html, or all of the last four (default: by the end of "
     "--out's name, .csv, .json, .xml or .html, else terminal).",
     "terminal csv json junit html all", "report"},
    {"format", "FORMAT",
     "terminal, json, html, or markdown for a pull request (default: by the end of --out's "
     "name, .json, .html or .md, else terminal).",
     "terminal json html markdown", "compare"},
    {"out", "FILE", "Write the comparison there instead of on standard output.", "", "compare"},
    {"out", "DIR", "Write the files there: a new directory, or an empty one.", "", "import"},
    {"judge", "PROVIDER/MODEL", "Grade by this model where the configuration names none.", ""},
    {"out", "FILE|DIR", "Write the report there instead of on standard output.", "", "report"},
    {"eval", "NAME", "The evaluation to report on (default: the only one).", ""},
    {"grader", "NAME",
     "eval label: the grader in whose place you label (default: the only judge, or the only "
     "grader); with --import: labels of another one are refused.",
     ""},
    {"by", "NAME", "eval label: who labels (default: $USER; the page asks).", ""},
    {"terminal", "", "eval label: label here, without a browser.", ""},
    {"import", "FILE", "eval label: take the labels that the page wrote into the root.", ""},
    {"out", "FILE", "eval label: write the page there (default: label.html).", "", "eval"},
    {"model", "NAME", "Only responses of this model.", ""},
    {"prompt-name", "NAME", "Only requests made with the prompt of this name.", ""},
    {"provider", "NAME", "Only requests to this provider.", ""},
    {"min-score", "SHARE", "Exit with 4 when a model's mean score is lower, e.g. 0.8 or 80%.", ""},
    {"max-error-rate", "SHARE",
     "Exit with 4 when more of a model's requests were given up or "
     "could not be graded; up to that, given-up requests do not count as a failure.",
     ""},
    {"allow-pending", "",
     "Apply the thresholds to what has ended and was graded. Without this, a request that has not "
     "ended misses them (exit code 4), and so does a response that was never graded.",
     ""},
    {"fail-on-regression", "",
     "Exit with 4 when a model's score fell by more than chance explains (p < 0.05); an item that "
     "B lacks counts as failed.",
     ""},
    {"max-drop", "SHARE",
     "Exit with 4 when a model's score fell by more than this, e.g. 0.02; an item that B lacks "
     "counts as failed.",
     ""},
    {"pass-k", "K",
     "Estimate pass@K (one of K answers passes) and pass^K (all do) for this K (default: as many "
     "answers as most items have).",
     ""},
    {"bootstrap-seed", "N",
     "Compute intervals from 10 000 resamples of the items, drawn with this seed, instead of from "
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
