// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"

#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

constexpr CommandSpec kEvaluationCommands[] = {
    {.name = "eval",
     .arguments = "[label] SPEC [A B]",
     .summary = "Grade the responses of a root, by rules, programs and models as judges.",
     .details =
         "SPEC is a YAML file that names requests, graders and thresholds, such as\n\n"
         "  name: capitals\n"
         "  select: {ids: [\"capital-*\"]}\n"
         "  judges: {main: {model: gpt-4.1}}\n"
         "  graders:\n"
         "    - {kind: contains, expected_var: city, ignore_case: true, weight: 3}\n"
         "    - {kind: judge, criteria: The answer is polite.}\n\n"
         "Kinds: exact contains regex numeric similarity json_schema json_equal latency cost\n"
         "tool_called tool judge. What is expected: expected, expected_var (of metadata.vars) or\n"
         "expected_at (a pointer). eval appends what is new or changed to eval/grades.jsonl.\n"
         "A grader with when: {COLUMN: VALUE} is for the rows that have it, with unless: for the\n"
         "others; graders_var: COLUMN lets each row name its graders.\n"
         "It works during a run or after it. Judges and programs are asked by ordinary requests,\n"
         "once for each response. Responses without a grade are counted by outcome. Which of them\n"
         "count as a score of 0, the specification says: outcomes: {errors: zero}, also refusals,\n"
         "truncated, schema_invalid, ungraded, each zero or exclude. By default schema_invalid is\n"
         "zero. `filecall report` shows every response with grades.\n\n"
         "`eval label SPEC` writes a page on which a person labels responses in the place of a\n"
         "grader, in an order that hides the models; --terminal does it without a browser. The "
         "page\n"
         "downloads a file, and --import takes it into eval/labels.jsonl. After that eval and "
         "report\n"
         "show how far people, judges and grades agree.\n\n"
         "`eval SPEC A B` asks the judges of pairwise: which of two responses to each item is\n"
         "better, in both orders. A and B are named as for compare: @model=NAME, @run=previous.",
     .options = "check follow run mix filter sample sample-seed limit dry-run max-cost max-tokens "
                "prices min-score max-error-rate allow-pending batch priority window timeout "
                "attempts backoff backoff-max max-pause max-outage cold-start-delay start-worker "
                "no-start-worker worker-config durability grader by terminal import out on-end "
                "notify quiet root json allow-shared-root",
     .examples = "  filecall eval quality.yaml --check\n"
                 "  filecall eval quality.yaml --min-score 0.8 --max-error-rate 2%\n"
                 "  filecall run batch.jsonl & filecall eval quality.yaml --follow\n"
                 "  filecall eval label quality.yaml --sample 100 --out label.html\n"
                 "  filecall eval label quality.yaml --import labels.jsonl\n"
                 "  filecall eval better.yaml @model=small @model=large --max-cost 2\n"
                 "  filecall eval quality.yaml --json | jq '.models[] | {model, score}'",
     .arguments_min = 1,
     .arguments_max = 3,
     .exit_codes = "0 1 2 3 4 5 74 75 130",
     .run = eval_command},
    {.name = "report",
     .summary = "Show scores, latencies, costs, errors and every response of a run.",
     .details =
         "Takes the latest run unless --run names another. Scores come from the grades that\n"
         "`filecall eval` wrote to eval/. Without them the rest is shown. A score is a mean over\n"
         "items (the responses of an item are averaged first), with its standard error and a 95 %\n"
         "interval. What has no grade is counted separately, and as 0 only where the evaluation\n"
         "says so.",
     .options = "run mix prices worker-config batch model prompt-name provider eval pass-k format "
                "out limit min-score max-error-rate allow-pending quiet root json "
                "allow-shared-root",
     .examples = "  filecall report\n"
                 "  filecall report --batch batch.jsonl --min-score 0.8 --max-error-rate 2%\n"
                 "  filecall report --out report.html\n"
                 "  filecall report --format all --out report/\n"
                 "  filecall report --json | jq '.groups[] | {model, score}'",
     .exit_codes = "0 1 2 4",
     .run = report_command},
    {.name = "compare",
     .arguments = "A B",
     .summary = "Compare the scores of two runs on the items that both have.",
     .details =
         "A and B are [PLACE][@KEY=VALUE,...]. PLACE is a root, a saved JSON report or the folder\n"
         "of one, or the name of a batch in the root; without it, the root. KEY is run, batch,\n"
         "model, prompt, provider or eval; without a run, it is the latest. Differences are B\n"
         "minus A, paired by item; regressions come first.",
     .options = "format out mix prices worker-config limit fail-on-regression max-drop "
                "allow-pending bootstrap-seed root json allow-shared-root",
     .examples = "  filecall compare old.jsonl new.jsonl --fail-on-regression\n"
                 "  filecall compare @run=previous @run=latest\n"
                 "  filecall compare @model=small @model=large\n"
                 "  filecall compare baseline/summary.json /var/spool/filecall --max-drop 2%\n"
                 "  filecall compare @run=previous @run=latest --out comment.md\n"
                 "  filecall compare @eval=lenient @eval=strict --json",
     .arguments_min = 2,
     .arguments_max = 2,
     .exit_codes = "0 1 2 4",
     .run = compare_command},
};

}  // namespace

std::span<const CommandSpec> evaluation_commands() { return kEvaluationCommands; }

}  // namespace filecall::client
