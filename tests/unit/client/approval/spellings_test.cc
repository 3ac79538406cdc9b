// SPDX-License-Identifier: MIT
#include "client/approval/core/spellings.h"

#include <gtest/gtest.h>

#include "client/approval/core/stored_rule.h"
#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

/// What a rule denies, and a command; all words separated by spaces.
struct DeniedRow {
  const char* rule;
  const char* commands;  ///< Separated by "; ".
};

constexpr DeniedRow kDenied[] = {
    {"git push",
     "git send-pack x y; git subtree push --prefix=a b c; git subtree --prefix a push b c; "
     "git-push; "
     "/usr/lib/git-core/git-push x; git http-push x; git lfs push x; git svn dcommit; "
     "git-send-pack x; "
     "git -c alias.x=push x; git -calias.x=push x origin; git -c alias.x=send-pack x y; "
     "git -C /x send-pack y; sh -c git-push; env git-push; uv run git-push x; "
     "git -c alias.x=!git\tpush x"},
    {"git push --force",
     "git push -f; git push origin +main; git push -fu origin x; git push --forc; git push --f; "
     "git push --force-with-lease; git push --mirror; git send-pack --force x; git-push -f; "
     "git push -u -f"},
    {"git push -f", "git push --force; git push origin +a:b; git push --fo; git push -uf x"},
    {"git push --delete",
     "git push -d x y; git push origin :x; git push --prune; git push --mirror"},
    {"git branch -D",
     "git branch -d -f x; git branch --delete --force x; git branch -df x; "
     "git branch -Dq x"},
    {"git clean -f", "git clean --force; git clean -xdf; git clean -d -f"},
    {"git checkout", "git switch x; git restore x; git checkout-index -a"},
    {"git init", "git init-db"},
    {"git gc", "git maintenance run"},
    {"rm -rf",
     "rm -r -f x; rm -fr x; rm --recursive --force x; rm --rec --fo x; rm -R --force x; "
     "rm x -Rf; rm --r --f x; /bin/rm -vRf x"},
    {"rm --recursive", "rm -r x; rm -R x; rm -Rf x; rm --recurs x"},
    {"rm -r", "rm --recursive x; rm -R x; rm -fR x"},
    {"docker run",
     "docker container run x; docker --debug container run x; docker compose run x; docker-compose "
     "run x; "
     "docker compose -f y run x; docker -H z container run x"},
    {"docker container run", "docker run x; docker -D run x"},
    {"docker rmi", "docker image rm x; docker image remove x"},
    {"docker ps", "docker container ls; docker container list; docker container ps"},
    {"docker build", "docker buildx build .; docker image build .; docker builder build ."},
    {"docker run --volume", "docker run -v a:b c; docker run -itv a:b c; docker run --mount=x c"},
    {"podman exec", "podman container exec c x"},
    {"npm publish", "npm pub; npm publ x; npm --tag=x pub; npm -w a publi"},
    {"npm install", "npm i x; npm add x; npm inst x; npm in x; npm insta; npm isntall x; npm it"},
    {"npm uninstall", "npm r x; npm rm x; npm un x; npm remove x; npm unin x"},
    {"npm exec", "npm x y; npx y; npm exe y"},
    {"npm run deploy", "npm run-script deploy; npm rum deploy; npm urn deploy; npm run-s deploy"},
    {"npm config set", "npm set x y; npm c set x y; npm conf set x y"},
    {"yarn publish",
     "yarn npm publish; yarn workspace a publish; yarn workspaces foreach publish; "
     "yarnpkg publish"},
    {"cargo run", "cargo r; cargo +nightly r; cargo-run"},
    {"kubectl delete namespace",
     "kubectl delete ns x; kubectl delete ns/x; kubectl delete namespaces x; kubectl delete pod,ns "
     "x; "
     "kubectl delete namespace/x; kubectl delete pod/a ns/x; kubectl -n y delete NS x; "
     "kubectl delete --now ns x"},
    {"kubectl delete ns", "kubectl delete namespace x; kubectl delete namespaces/x"},
    {"kubectl delete -n prod",
     "kubectl delete --namespace=prod x; kubectl delete --namespace prod x; kubectl -n prod delete "
     "x; "
     "kubectl -nprod delete x; kubectl --namespace=prod delete x"},
    {"helm uninstall", "helm delete x; helm del x; helm un x"},
    {"apt-get install", "apt install x; apt -y install x; aptitude install x"},
    {"pip install", "pip3 install x; pip3.11 install x; python3 -m pip install x; pip-install"},
    {"python", "python3 x; python3.11 x"},
    {"shutdown", "poweroff; reboot; halt"},
    {"hg push", "hg pus; hg -R x push; hg -R x pu; hg --cwd=x pus"},
    {"svn commit", "svn ci -m x"},
    {"ip netns", "ip netn exec a b; ip net list; ip -all netns"},
    {"tar -x", "tar xf y; tar --extract -f y; tar --get -f y; tar -vxf y; gtar -xf y"},
    {"sed -i", "sed --in-place x y; sed -ni x y; sed --in x y; sed -i.bak x y"},
    {"curl -X POST", "curl --request POST x; curl --request=POST x; curl -XPOST x"},
    {"chmod -R", "chmod --recursive x y"},
    {"kill -9", "kill -KILL 1; kill -SIGKILL 1; kill -s KILL 1; kill -n 9 1; kill --signal=9 1"},
    {"mvn deploy",
     "mvn clean deploy; mvn deploy:deploy; mvn a.b:maven-deploy-plugin:3:deploy; "
     "mvn deploy:deploy@x; mvnw deploy"},
    {"gradle publish",
     "gradle :app:publish; gradle publ; gradlew clean publish; gradle build :a:publ"},
};

std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    for (char& c : parts.back()) {
      if (c == '\t') c = ' ';
    }
    at = end + separator.size();
  }
  return parts;
}

TEST(SpellingsTest, WhatIsDeniedIsDeniedInAllItsSpellings) {
  for (const DeniedRow& row : kDenied) {
    const Json rules = {
        {{"tool", "*"}, {"decision", "allow"}},
        {{"tool", "tool.run"}, {"argv", parts_of(row.rule, " ")}, {"decision", "deny"}}};
    const auto policy = Policy::read({{"p", dump_json({{"policy", {{"rules", rules}}}})}});
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    for (const std::string& line : parts_of(row.commands, "; ")) {
      EXPECT_EQ(to_string(policy->decide(program_call(parts_of(line, " "))).decision), "deny")
          << row.rule << ": " << line;
    }
  }
}

TEST(SpellingsTest, WhatIsAnotherCommandIsNotDenied) {
  for (const DeniedRow& row : std::initializer_list<DeniedRow>{
           {"git push",
            "git status; git log push; git stash push; git subtree pull x; git diff push"},
           {"git push --force", "git push origin main; git push -u origin x"},
           {"rm -rf", "rm -r x; rm -f x; rm x"},
           {"docker run", "docker ps; docker images run; docker container ls"},
           {"npm publish", "npm test; npm run publish; npm pack; npm ping"},
           {"kubectl delete ns", "kubectl delete pod ns-x; kubectl get ns"},
           {"git branch -D", "git branch -d x; git branch --delete x"},
           {"tar -x", "tar tf x; tar -tf x"},
           {"kill -9", "kill -15 1; kill 9"}}) {
    const Json rules = {
        {{"tool", "tool.run"}, {"argv", parts_of(row.rule, " ")}, {"decision", "deny"}}};
    const auto policy = Policy::read({{"p", dump_json({{"policy", {{"rules", rules}}}})}});
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    for (const std::string& line : parts_of(row.commands, "; ")) {
      EXPECT_EQ(to_string(policy->decide(program_call(parts_of(line, " "))).decision), "prompt")
          << row.rule << ": " << line;
    }
  }
}

TEST(SpellingsTest, AVerbThatIsNotKnownIsNeverAllowed) {
  const Policy policy = policy_of(
      "  - {tool: '*', decision: allow}\n"
      "  - {tool: tool.run, argv: [[git, npm, docker, kubectl, helm, cargo, hg]], decision: "
      "allow}\n");
  for (const char* line :
       {"git deploy", "git st", "git -C /x st", "git --new-option x status", "git credential-evil",
        "git upload-pack x", "git daemon x", "git svn log", "docker evil x", "kubectl evil x",
        "helm evil", "cargo xtask y", "npm pub", "npm stat", "hg st2", "git instaweb", "git gui"}) {
    const Verdict verdict = policy.decide(program_call(parts_of(line, " ")));
    EXPECT_EQ(to_string(verdict.decision), "prompt") << line;
    EXPECT_GE(verdict.risk, Risk::kHigh) << line;
    EXPECT_FALSE(rule_to_store(program_call(parts_of(line, " "))).has_value()) << line;
  }
  for (const char* line : {"git status", "npm test", "npm ls", "docker ps", "docker container ls",
                           "kubectl get pods", "cargo test", "helm list", "git --no-pager log"}) {
    EXPECT_EQ(to_string(policy.decide(program_call(parts_of(line, " "))).decision), "allow")
        << line;
  }
}

TEST(SpellingsTest, TheRiskIsOfWhatIsDoneHoweverItIsWritten) {
  for (const char* line : {"git-push -f", "git push origin +main", "git push --force-with-lease",
                           "npm pub", "kubectl delete namespaces x", "kubectl delete ns/x",
                           "docker volume remove x", "git clean --force"}) {
    EXPECT_EQ(Policy().decide(program_call(parts_of(line, " "))).risk, Risk::kCritical) << line;
  }
}

}  // namespace
}  // namespace filecall::client
