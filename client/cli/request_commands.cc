// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"

#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

constexpr CommandSpec kRequestCommands[] = {
    {.name = "call",
     .arguments = "COMMAND",
     .summary = "Send one request, wait, print its data.",
     .details = "Prints the response's data alone on standard output; an error goes to standard\n"
                "error. With --json the whole response is printed, success or error. With --follow "
                "it\nprints like 'filecall follow': what the request writes while it executes.",
     .options = "params id follow priority timeout-ms timeout attempts backoff backoff-max "
                "max-pause max-outage cold-start-delay start-worker no-start-worker worker-config "
                "durability root json allow-shared-root quiet",
     .examples = "  filecall call system.echo --params '{\"hello\": \"world\"}'\n"
                 "  filecall call tool.run --params @request.json --timeout 30s\n"
                 "  filecall call tool.run --params '{\"argv\": [\"make\"]}' --follow\n"
                 "  echo '{\"argv\": [\"git\", \"status\"]}' | filecall call tool.run --params -",
     .arguments_min = 1,
     .arguments_max = 1,
     .words = "system.echo system.describe tool.run",
     .exit_codes = "0 1 2 3 74 75 130",
     .run = call_command},
    {.name = "run",
     .arguments = "BATCH...",
     .summary = "Run a batch of requests; the same command resumes it.",
     .details =
         "BATCH is a JSONL file, a folder of request files, or - for standard input. A line is a\n"
         "request object. Without request_id, its id is derived from its content, so the same\n"
         "command continues where it stopped. What was answered once is not asked again, unless\n"
         "--fresh or another --run-id says so. The whole input is checked first. Input files of\n"
         "OpenAI's Batch API (custom_id, url, body) run as they are. With --prompt or --template\n"
         "the rows of a CSV or JSONL file are variables: {{name}} is a value as text, \\{{ is two\n"
         "braces, and a string that is only {{name|json}} becomes the value itself. A column 'id'\n"
         "names the row.",
     .options = "priority strict fresh run-id format types prompt template turns max-turns image "
                "var model models provider repeat seed params filter sample sample-seed limit "
                "max-cost max-tokens max-errors prices dry-run cache cache-all window timeout "
                "attempts backoff backoff-max max-pause max-outage cold-start-delay start-worker "
                "no-start-worker worker-config durability out out-openai report on-end notify "
                "quiet root json allow-shared-root",
     .examples =
         "  filecall run batch.jsonl\n"
         "  filecall run batch.jsonl --out results.jsonl --report report --window 64\n"
         "  filecall run nightly.jsonl --run-id $(date +%F)\n"
         "  filecall run nightly.jsonl --fresh --on-end 'mail -s nightly me' --quiet\n"
         "  filecall run urgent.jsonl --priority 5\n"
         "  filecall run openai-batch.jsonl --out-openai output.jsonl\n"
         "  filecall run questions.csv --prompt ask.txt --model gpt-4.1,local/qwen3 --repeat 5\n"
         "  filecall run questions.csv --prompt ask.txt --filter lang=de --sample 100\n"
         "  filecall run questions.csv --prompt ask.txt --types year=integer,tags=json\n"
         "  filecall run dialogues.jsonl --turns turns --model gpt-4.1\n"
         "  filecall run openai-batch.jsonl --dry-run --worker-config worker.yaml\n"
         "  filecall run openai-batch.jsonl --max-cost 5 --max-errors 20\n"
         "  generate-requests | filecall run - --attempts 5 --timeout 2m",
     .arguments_min = 1,
     .arguments_max = -1,
     .exit_codes = "0 1 2 3 5 74 75 130",
     .run = run_command},
    {.name = "watch",
     .summary = "Retry requests that other programs drop, as a service.",
     .details = "Takes every request that no other client drives, until it is stopped, or with\n"
                "--until-idle until nothing is left to do (for cron). A root has one watch.",
     .options = "until-idle window timeout attempts backoff backoff-max max-pause max-outage "
                "cold-start-delay start-worker no-start-worker worker-config durability on-end "
                "notify quiet root json allow-shared-root",
     .examples = "  filecall watch --start-worker\n"
                 "  filecall watch --until-idle --start-worker\n"
                 "  filecall watch --root /var/spool/filecall --attempts 5 --backoff 10s",
     .exit_codes = "0 1 2 3 74 75 130",
     .run = watch_command},
    {.name = "status",
     .summary = "Show the requests and the worker.",
     .details =
         "Requests that no run drives have no row in the database. Their responses are opened "
         "and\nremembered, at most 20000 at a time. The output says how many are left.",
     .options = "counts read state batch limit root json allow-shared-root",
     .examples = "  filecall status\n"
                 "  filecall status --counts\n"
                 "  filecall status --state GAVE_UP --limit 0\n"
                 "  filecall status --json | jq .counts",
     .exit_codes = "0 1 2",
     .run = status_command},
    {.name = "show",
     .arguments = "ID",
     .summary = "Show everything about one request.",
     .options = "root json allow-shared-root",
     .examples = "  filecall show request-123\n  filecall show request-123 --json",
     .arguments_min = 1,
     .arguments_max = 1,
     .exit_codes = "0 1 2",
     .run = show_command},
    {.name = "follow",
     .arguments = "ID",
     .summary = "Print what a request writes while it executes, and how it ends.",
     .details =
         "Begun before, while or after the request executes. Prints a tool's standard output and\n"
         "error on those of this program, as they come, if the request has \"stream\": true;\n"
         "without it, when it has ended. On standard error it says how the request ended, and "
         "what\n"
         "it waits for meanwhile. With --json each event is a line, and the last line is\n"
         "{\"event\": \"answer\", \"response\": ...}. It goes on when the worker is started again.",
     .options = "patience quiet root json allow-shared-root",
     .examples = "  filecall follow request-123\n"
                 "  filecall follow request-123 --json | jq -r 'select(.event == \"output\").text'",
     .arguments_min = 1,
     .arguments_max = 1,
     .exit_codes = "0 1 2 130",
     .run = follow_command},
    {.name = "retry",
     .arguments = "[ID...]",
     .summary = "Give given-up requests new attempts.",
     .details =
         "The requests are pending again. A worker answers them, and the next run of their\n"
         "batch, or 'filecall watch --until-idle', retries them. The copy in failed/ and the\n"
         "recorded error stay until there is a new outcome. --failed leaves out what was\n"
         "cancelled, and what was interrupted and may have had effects (aborted), unless\n"
         "--code asks for it. It says how many those are, but for --quiet.",
     .options = "failed batch code command priority durability quiet root json allow-shared-root",
     .examples = "  filecall retry request-123 request-124\n"
                 "  filecall retry --failed\n"
                 "  filecall retry --failed --code aborted --command tool.run\n"
                 "  filecall retry --failed --batch batch.jsonl --priority -5",
     .arguments_max = -1,
     .exit_codes = "0 1 2 74",
     .run = retry_command},
    {.name = "edit",
     .arguments = "[ID...]",
     .summary = "Change a request that waits.",
     .details =
         "Without --set, --unset and --priority it opens $VISUAL or $EDITOR on the request. The "
         "new\n"
         "text is checked as a worker would; then the worker gives the request back and takes it\n"
         "up again, so that it is known which text runs. What has begun or ended is not edited. "
         "Of\n"
         "what a batch asked, or a living 'filecall call', only the priority can be edited: its\n"
         "record and its results say what was asked.",
     .options = "set unset priority batch patience durability root json allow-shared-root",
     .examples = "  filecall edit request-123\n"
                 "  filecall edit request-123 --set params.text=hello --unset timeout_ms\n"
                 "  filecall edit --batch nightly.jsonl --priority -5",
     .arguments_max = -1,
     .exit_codes = "0 1 2 74",
     .run = edit_command},
    {.name = "cancel",
     .arguments = "[ID...]",
     .summary = "End requests that are pending or executing.",
     .details = "Without a worker a request is asked to end; the next worker ends it before it\n"
                "begins.",
     .options = "batch all patience durability root json allow-shared-root",
     .examples = "  filecall cancel request-123\n"
                 "  filecall cancel --batch batch.jsonl\n"
                 "  filecall cancel --all",
     .arguments_max = -1,
     .exit_codes = "0 1 2 74",
     .run = cancel_command},
    {.name = "pause",
     .arguments = "[NAME...]",
     .summary = "Start nothing new of a root, a destination or a batch.",
     .details =
         "NAME is a command (tool.run) or a destination: a provider, PROVIDER/MODEL, a class of\n"
         "tools; 'filecall status' and the worker's status name them. Without NAME and --batch "
         "the\n"
         "whole root pauses, but for system.*. What runs goes on to its end. A pause is a file in\n"
         "paused/ below the root: it outlives the worker, and what waits for it has no time-out. A "
         "name\n"
         "that the root's worker does not know is paused, too, and the exit code is 1.",
     .options = "batch reason root json allow-shared-root",
     .examples = "  filecall pause\n"
                 "  filecall pause openai/gpt-4.1 --reason 'the budget of today is used'\n"
                 "  filecall pause tool.run\n"
                 "  filecall pause --batch nightly.jsonl",
     .arguments_max = -1,
     .exit_codes = "0 1 2 74",
     .run = pause_command},
    {.name = "resume",
     .arguments = "[NAME...]",
     .summary = "End a pause.",
     .details = "Takes what 'filecall pause' takes; --all ends all pauses of the root.",
     .options = "batch all root json allow-shared-root",
     .examples = "  filecall resume\n"
                 "  filecall resume openai/gpt-4.1\n"
                 "  filecall resume --all",
     .arguments_max = -1,
     .exit_codes = "0 1 2 74",
     .run = resume_command},
    {.name = "proposal",
     .arguments = "ACTION FILE|ID",
     .summary = "Show, apply or undo a proposal: changes of files that wait for a decision.",
     .details =
         "ACTION is show, apply or undo. FILE holds what file.propose answered, or its response;\n"
         "ID is that of a request of file.propose, or of proposals/ID.json in the root. apply "
         "makes\n"
         "all of it or none, by a request of file.apply. With --hunks it makes a part; the same\n"
         "command makes the rest later. undo takes back all that was made. When a file is another\n"
         "than the proposal was made for, nothing is changed, the exit code is 6, and what "
         "changed\n"
         "in both is shown as a three-way merge. What is made or taken back already is not done\n"
         "twice.",
     .options = "hunks side-by-side merge timeout attempts backoff backoff-max max-pause "
                "cold-start-delay start-worker no-start-worker worker-config durability quiet root "
                "json allow-shared-root",
     .examples = "  filecall proposal show proposal.json --side-by-side\n"
                 "  filecall proposal apply proposal.json\n"
                 "  filecall proposal apply proposal.json --hunks 1f0c44e2a9b35d78,src/new.txt\n"
                 "  filecall proposal undo proposal.json\n"
                 "  filecall proposal show propose-123 --merge --json",
     .arguments_min = 2,
     .arguments_max = 2,
     .words = "show apply undo",
     .exit_codes = "0 1 2 3 6 74 75 130",
     .run = proposal_command},
    {.name = "gc",
     .summary = "Remove the files of requests that ended long ago.",
     .details = "Keeps a tombstone of each request, so that the same batch does not run it again.\n"
                "What was given up stays for 'filecall retry', unless --failed says otherwise.\n"
                "--forget-after removes the tombstones, too, some time later.",
     .options = "older-than failed forget-after dry-run durability root json allow-shared-root",
     .examples = "  filecall gc --older-than 30d --dry-run\n  filecall gc --older-than 30d",
     .exit_codes = "0 1 2 74",
     .run = gc_command},
    {.name = "runs",
     .arguments = "ACTION [RUN...]",
     .summary = "List, show, compare and delete the records of runs.",
     .details =
         "ACTION is list, show RUN, diff RUN RUN or delete RUN. A run is what one 'filecall run'\n"
         "asked: its prompts, models, params and the list of its requests, in runs/ below the\n"
         "root. The same again is the same run and goes on. RUN is an id, a part of one that\n"
         "only it begins or ends with, latest or previous. list has them in the order in which "
         "they\n"
         "began: latest is the run that began or went on last, previous the run that began\n"
         "directly before it. Answers outlive their runs.",
     .options = "batch root json allow-shared-root",
     .examples = "  filecall runs list\n"
                 "  filecall runs show latest\n"
                 "  filecall runs diff previous latest --json",
     .arguments_min = 1,
     .arguments_max = -1,
     .words = "list show diff delete",
     .exit_codes = "0 1 2 75",
     .run = runs_command},
    {.name = "import",
     .arguments = "FORMAT FILE",
     .summary = "Make a batch, models and graders of another program's configuration.",
     .details =
         "FORMAT is promptfoo, FILE its promptfooconfig.yaml. DIR gets prompts/, models.yaml,\n"
         "tests.jsonl, graders.yaml and run.sh, which asks, grades and reports. What has no form\n"
         "here is listed with its place and the reason, and in import.json; then the exit code\n"
         "is 1. Programs in the configuration are never run.",
     .options = "out judge json root",
     .examples = "  filecall import promptfoo promptfooconfig.yaml --out capitals\n"
                 "  filecall import promptfoo promptfooconfig.yaml --out capitals --judge "
                 "openai/gpt-4.1\n"
                 "  filecall import promptfoo promptfooconfig.yaml --out capitals --json | jq "
                 ".not_taken",
     .arguments_min = 2,
     .arguments_max = 2,
     .words = "promptfoo",
     .exit_codes = "0 1 2 74",
     .run = import_command},
};

}  // namespace

std::span<const CommandSpec> request_commands() { return kRequestCommands; }

}  // namespace filecall::client
