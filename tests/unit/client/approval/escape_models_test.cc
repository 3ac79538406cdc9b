// SPDX-License-Identifier: MIT
#include "client/approval/core/escape_models.h"

#include <gtest/gtest.h>

#include "client/approval/core/stored_rule.h"
#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

/// Commands, each up to a semicolon.
constexpr char kEscaping[] = R"(
npm ls --globalconfig=/tmp/x; npm run test --globalc /tmp/x; npm test --git=/tmp/x;
npm ls --script-shell=x; npm ls --node-options=--require=x; go test --exec sh;
go test -exec=sh; go test ./... -toolexec x; go build -ldflags=-extld=/tmp/x;
go test -test.outputdir=/x; go build -o x; split --filter x f; split --filt=x f; shuf -o x f;
shuf --out=x f; shuf --o=x f; jest --config x; jest -c x; jest --globalSetup x;
jest --setupFiles x; java -javaagent:x.jar X; gcc @file; gcc -wrapper x a.c; gcc -Wl,-o,x a.c;
gcc -fplugin=x a.c; gcc -o/etc/x a.c; clang --config x a.c; javac @x;
javac -J-javaagent:x X.java; rustc -Clinker=x a.rs; ld --plugin x;
kubectl get pods --log-file=x; kubectl get --raw=/x;
kubectl cluster-info dump --output-directory=x; kubectl get pods --kuberc=x; ip netns exec a b;
ip netn exec a b; ip vrf exec a b; ip -all netns exec b; ip -batch x; bat --pager x f;
ag --pager x y; ag --pager=x y; ack --pager=x y; tcpdump -z x -w y; tcpdump -G1 -zx;
git grep --open-files-in-pager=x y; git grep --open-f x; git grep -Ox y; git grep -nOx y;
git grep --op=x y; git clone -u x y; git clone --upload-pack=x y; git clone --u=x y;
git clone ext::x y; git fetch ext::x; git clone -c a.b=c x;
git -p log; git -C /x status; git -c a=b log; git --no-pager -c a=b log;
git commit -c HEAD; git log --paginate;
git fetch -u x; git format-patch -o x; git apply --unsafe-paths; git archive --remote=x HEAD;
git rebase -x y; git merge -s x y; git init --template=x; tar -tf x --rmt-command=y;
tar -tf x --rsh-command=y; tar -tf host:x; tar --file=host:x -t; tar -tfhost:x; tar tf host:x;
tar tTf list x; tar -xPf x; tar xf x --one-top-level=y; cpio -t -F host:x;
cpio -it --rsh-command=x; rsync -n --write-batch=x a b; rsync -e x a b; rsync -nex a b;
rsync -n --no-dry-run a b; rsync -n --no-n a b; rsync -n --no-dry a b; rsync host:a b;
ctest --build-and-test a b; ctest --build-a a b; ctest -S x; ctest --test-dir x;
gradle -I x test; gradle --init-s x test; gradle test -Dx=y; mvn -f x test;
mvn test -Dexec.executable=x; mvn -s x test; mvn -gs x test; yarn --cwd x test;
yarn --use-yarnrc x test; pnpm -C x test; pnpm test --config.x=y; eslint --rulesdir x y;
eslint -c x y; eslint --plugin x y; eslint -f ./x.js y; eslint -o x y;
eslint --no-eslintrc --config=x y; phpunit --bootstrap x; phpunit -c x; prettier --plugin=x y;
prettier -w y; tsc --outDir x; tsc --OUTDIR x; tsc -p x; tsc -outdir x; mypy --config-file x y;
mypy @x; flake8 --config x; pylint --init-hook=x y; pylint --load-plugins=x y;
ruff check --config x; black -c x; pytest -p x; pytest --junitxml=x; pytest -vpx; pytest @x;
pytest --basetemp=x; curl -Ox y; curl --variable x@y; wget --warc-file=x y; wget -a x y;
sort --o=x y; sort -nox y; diff3 --diff-program=x a b c; cmake -DCMAKE_C_COMPILER=x .;
cmake --trace-redirect=x .; make -C x; make --f x; cargo test --manifest-path=x;
cargo build --root x; docker build -f x .; docker compose -f x ps; docker ps --tlscert x;
podman ps --hooks-dir=x; podman --module=x ps; helm list --kubeconfig x;
helm template --output-dir x y; helm lint --post-renderer=x; apt list -o x=y; apt list -ox=y;
apt-cache show -c x; dpkg --pre-invoke=x -l; dpkg -i x; rpm --pipe x -q y; rpm -E x; rpm -qE x;
ssh-keygen -D x; ssh-add -s x; scp -S x a b; scp -oProxyCommand=x a b; sftp -b x y;
gpg --photo-viewer x; openssl dgst -engine x; openssl dgst --out x;
journalctl --vacuum-time=1s; ss -K; xmllint -output x y; xmllint --shell y; zip -TT x y;
zip --temp-path=x y; unzip x -d /y; zstd --output-dir-flat=x y; info --restore=x;
man --preproc=x y; less --lesskey-content=x y; tree -o x; terraform plan -chdir=x;
terraform init -plugin-dir=x; terraform plan -out=x; pip list --python=x;
pip install --target=x y; pip list --log x; hg log --config x; hg -R x log;
svn diff --diff-cmd x; find . -files0-from x; fd --exec x; rg --pre x y; ctags --options=x;
gofmt -w x; shfmt -w x; yamllint -c x y; codespell -w x; file -m x y; some-tool --plugin x;
some-tool --output-file=x; some-tool --pre-exec=x; some-tool --load-module=x;
some-tool --init-script x;
)";

constexpr char kHarmless[] = R"(
ls --directory x; ls --color=auto -la; grep -rn --include=*.cc x .; git log --oneline -3;
git diff --stat HEAD~1; git status --short --untracked-files=no; git log --no-ext-diff;
git grep -n x; git show @~1; git diff -C; git switch -c x; git log --author=x --since=1d;
kubectl get pods -o wide; kubectl get pods -ojson; ctest -R x --output-on-failure;
kubectl get pods --output=json -A; npm ls @types/node; cargo test --release --target x;
go test -run X ./... -v -count=1; pytest -q -x -k y tests; make test -j4; tar -tvf a.tgz;
tar tzf a.tgz; cut --output-delimiter=x f; docker ps --filter x=y; find . -name x -type f;
echo --exec --config; rg --no-config x; rg --files; gcc -Wall -Werror -c a.c; sort -rn -k2 f;
systemctl status x --output=json; jq -r .a f; diff -u a b; ps -ef; du -sh x; wc -l f;
stat -c %s f; rsync -an a b; eslint src; ip -br addr; ip addr show;
)";

/// The parts of `text` between these characters.
std::vector<std::string> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> lines_of(std::string_view text) { return split_at(text, ";\n"); }

/// Allows all programs that are understood, in both ways, and their first words.
Policy wide_policy(const std::vector<std::string>& argv) {
  const Json two =
      argv.size() > 2 && !argv[1].starts_with("-") ? Json({argv[0], argv[1]}) : Json({argv[0]});
  const Json rules = {{{"tool", "*"}, {"decision", "allow"}},
                      {{"tool", "tool.run"}, {"argv", two}, {"decision", "allow"}}};
  const auto policy = Policy::read({{"wide", dump_json({{"policy", {{"rules", rules}}}})}});
  if (policy) return *policy;
  // The program runs whatever it is given: there is no such rule.
  return policy_of("  - {tool: '*', decision: allow}\n");
}

TEST(EscapeModelsTest, AnOptionThatCanRunOrWriteIsADoubt) {
  for (const std::string& line : lines_of(kEscaping)) {
    const std::vector<std::string> argv = split_at(line, " ");
    if (argv.empty()) continue;
    const Verdict verdict = wide_policy(argv).decide(program_call(argv));
    EXPECT_EQ(to_string(verdict.decision), to_string(Decision::kPrompt)) << line;
    EXPECT_GE(verdict.risk, Risk::kHigh) << line;
    EXPECT_FALSE(rule_to_store(program_call(argv)).has_value()) << line;
  }
}

TEST(EscapeModelsTest, WhatAnOptionIsGivenIsTriedByRulesThatDeny) {
  const Policy policy = policy_of("  - {tool: tool.run, argv: [git, push], decision: deny}\n");
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"split", "--filter", "git push", "f"},
                                             {"split", "--filter=git push", "f"},
                                             {"some-tool", "--exec", "git push"},
                                             {"bat", "--pager=git push", "f"}}) {
    EXPECT_EQ(policy.decide(program_call(argv)).decision, Decision::kDeny) << Json(argv);
  }
}

TEST(EscapeModelsTest, AnOptionThatOnlyReadsIsNone) {
  for (const std::string& line : lines_of(kHarmless)) {
    const std::vector<std::string> argv = split_at(line, " ");
    if (argv.empty()) continue;
    EXPECT_EQ(to_string(wide_policy(argv).decide(program_call(argv)).decision),
              to_string(Decision::kAllow))
        << line;
  }
}

}  // namespace
}  // namespace filecall::client
