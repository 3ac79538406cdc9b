// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace filecall {

/// How the tokens of well-known makers look: how they begin, what follows, and at least how much of
/// it. Beginnings, alphabets and names are those of the rules of gitleaks (config/gitleaks.toml of
/// https://github.com/gitleaks/gitleaks at b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b, MIT License,
/// Copyright (c) 2019 Zachary Rice), with a '*' behind the name for those that it does not have.
/// The lengths are often less than a maker's tokens have: a part of one is as secret.
struct TokenFormat {
  enum class Alphabet : std::uint8_t {
    kWord,    ///< Letters, digits, '-' and '_'.
    kDotted,  ///< And '.'.
    kBase64,  ///< And '+', '/', '='.
  };
  std::string_view name;
  std::string_view beginning;
  Alphabet alphabet;
  std::size_t rest_min;
};

/// By the beginning, in the order of bytes.
inline constexpr std::array kTokenFormats = std::to_array<TokenFormat>({
    {"aws-access-token", "ABIA", TokenFormat::Alphabet::kWord, 16},
    {"aws-amazon-bedrock-api-key", "ABSK", TokenFormat::Alphabet::kBase64, 109},
    {"aws-access-token", "ACCA", TokenFormat::Alphabet::kWord, 16},
    {"age-secret-key", "AGE-SECRET-KEY-1", TokenFormat::Alphabet::kWord, 58},
    {"gcp-api-key", "AIza", TokenFormat::Alphabet::kWord, 30},
    {"artifactory-api-key", "AKCp", TokenFormat::Alphabet::kWord, 69},
    {"aws-access-token", "AKIA", TokenFormat::Alphabet::kWord, 16},
    {"octopus-deploy-api-key", "API-", TokenFormat::Alphabet::kWord, 26},
    {"aws-access-token", "ASIA", TokenFormat::Alphabet::kWord, 16},
    {"clojars-api-token", "CLOJARS_", TokenFormat::Alphabet::kWord, 60},
    {"facebook-page-access-token", "EAAC", TokenFormat::Alphabet::kWord, 100},
    {"facebook-page-access-token", "EAAM", TokenFormat::Alphabet::kWord, 100},
    {"easypost-api-token", "EZAK", TokenFormat::Alphabet::kWord, 54},
    {"easypost-test-api-token", "EZTK", TokenFormat::Alphabet::kWord, 54},
    {"flutterwave-secret-key", "FLWSECK_TEST-", TokenFormat::Alphabet::kWord, 12},
    {"google-oauth-client-secret*", "GOCSPX-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-rrt", "GR1348941", TokenFormat::Alphabet::kWord, 16},
    {"heroku-api-key-v2", "HRKU-AA", TokenFormat::Alphabet::kWord, 50},
    {"alibaba-access-key-id", "LTAI", TokenFormat::Alphabet::kWord, 16},
    {"postman-api-token", "PMAK-", TokenFormat::Alphabet::kWord, 50},
    {"sendgrid-api-token", "SG.", TokenFormat::Alphabet::kDotted, 50},
    {"gitlab-session-cookie", "_gitlab_session=", TokenFormat::Alphabet::kWord, 32},
    {"huggingface-organization-api-token", "api_org_", TokenFormat::Alphabet::kWord, 30},
    {"artifactory-reference-token", "cmVmd", TokenFormat::Alphabet::kWord, 59},
    {"databricks-api-token", "dapi", TokenFormat::Alphabet::kWord, 32},
    {"digitalocean-access-token", "doo_v1_", TokenFormat::Alphabet::kWord, 64},
    {"digitalocean-pat", "dop_v1_", TokenFormat::Alphabet::kWord, 64},
    {"digitalocean-refresh-token", "dor_v1_", TokenFormat::Alphabet::kWord, 64},
    {"doppler-api-token", "dp.pt.", TokenFormat::Alphabet::kWord, 43},
    {"dynatrace-api-token", "dt0c01.", TokenFormat::Alphabet::kDotted, 89},
    {"duffel-api-token", "duffel_live_", TokenFormat::Alphabet::kWord, 43},
    {"duffel-api-token", "duffel_test_", TokenFormat::Alphabet::kWord, 43},
    {"grafana-api-key", "eyJrIjoi", TokenFormat::Alphabet::kBase64, 60},
    {"frameio-api-token", "fio-u-", TokenFormat::Alphabet::kWord, 64},
    {"flyio-access-token", "fm1a_", TokenFormat::Alphabet::kBase64, 100},
    {"flyio-access-token", "fm1r_", TokenFormat::Alphabet::kBase64, 100},
    {"flyio-access-token", "fm2_", TokenFormat::Alphabet::kBase64, 100},
    {"flyio-access-token", "fo1_", TokenFormat::Alphabet::kWord, 43},
    {"github-oauth", "gho_", TokenFormat::Alphabet::kWord, 20},
    {"github-pat", "ghp_", TokenFormat::Alphabet::kWord, 20},
    {"github-refresh-token", "ghr_", TokenFormat::Alphabet::kWord, 20},
    {"github-app-token", "ghs_", TokenFormat::Alphabet::kWord, 20},
    {"github-app-token", "ghu_", TokenFormat::Alphabet::kWord, 20},
    {"github-fine-grained-pat", "github_pat_", TokenFormat::Alphabet::kWord, 20},
    {"gitlab-kubernetes-agent-token", "glagent-", TokenFormat::Alphabet::kWord, 16},
    {"grafana-cloud-api-token", "glc_", TokenFormat::Alphabet::kBase64, 32},
    {"gitlab-cicd-job-token", "glcbt-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-deploy-token", "gldt-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-feature-flag-client-token", "glffct-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-feed-token", "glft-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-incoming-mail-token", "glimt-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-oauth-app-secret", "gloas-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-pat", "glpat-", TokenFormat::Alphabet::kDotted, 16},
    {"gitlab-ptt", "glptt-", TokenFormat::Alphabet::kWord, 16},
    {"gitlab-runner-authentication-token", "glrt-", TokenFormat::Alphabet::kDotted, 16},
    {"grafana-service-account-token", "glsa_", TokenFormat::Alphabet::kWord, 32},
    {"gitlab-scim-token", "glsoat-", TokenFormat::Alphabet::kWord, 16},
    {"groq-api-key*", "gsk_", TokenFormat::Alphabet::kWord, 20},
    {"huggingface-access-token", "hf_", TokenFormat::Alphabet::kWord, 20},
    {"vault-batch-token", "hvb.", TokenFormat::Alphabet::kWord, 60},
    {"vault-service-token", "hvs.", TokenFormat::Alphabet::kWord, 20},
    {"infracost-api-token", "ico-", TokenFormat::Alphabet::kWord, 32},
    {"linear-api-key", "lin_api_", TokenFormat::Alphabet::kWord, 40},
    {"npm-access-token", "npm_", TokenFormat::Alphabet::kWord, 30},
    {"notion-api-token", "ntn_", TokenFormat::Alphabet::kWord, 40},
    {"1password-service-account-token", "ops_eyJ", TokenFormat::Alphabet::kBase64, 80},
    {"adobe-client-secret", "p8e-", TokenFormat::Alphabet::kWord, 32},
    {"harness-api-key", "pat.", TokenFormat::Alphabet::kDotted, 66},
    {"prefect-api-token", "pnu_", TokenFormat::Alphabet::kWord, 36},
    {"perplexity-api-key", "pplx-", TokenFormat::Alphabet::kWord, 40},
    {"planetscale-token", "pscale_oauth_", TokenFormat::Alphabet::kDotted, 32},
    {"planetscale-password", "pscale_pw_", TokenFormat::Alphabet::kDotted, 32},
    {"planetscale-token", "pscale_tkn_", TokenFormat::Alphabet::kDotted, 32},
    {"pulumi-api-token", "pul-", TokenFormat::Alphabet::kWord, 40},
    {"pypi-upload-token", "pypi-AgEI", TokenFormat::Alphabet::kWord, 50},
    {"readme-api-token", "rdme_", TokenFormat::Alphabet::kWord, 60},
    {"restricted-key*", "rk-", TokenFormat::Alphabet::kWord, 16},
    {"stripe-access-token", "rk_live_", TokenFormat::Alphabet::kWord, 10},
    {"stripe-access-token", "rk_prod_", TokenFormat::Alphabet::kWord, 10},
    {"stripe-access-token", "rk_test_", TokenFormat::Alphabet::kWord, 10},
    {"rubygems-api-token", "rubygems_", TokenFormat::Alphabet::kWord, 48},
    {"harness-api-key", "sat.", TokenFormat::Alphabet::kDotted, 66},
    {"sourcegraph-access-token", "sgp_", TokenFormat::Alphabet::kWord, 40},
    {"openshift-user-token", "sha256~", TokenFormat::Alphabet::kWord, 43},
    {"shippo-api-token", "shippo_live_", TokenFormat::Alphabet::kWord, 40},
    {"shippo-api-token", "shippo_test_", TokenFormat::Alphabet::kWord, 40},
    {"shopify-token", "shpat_", TokenFormat::Alphabet::kWord, 32},
    {"shopify-token", "shpca_", TokenFormat::Alphabet::kWord, 32},
    {"shopify-token", "shppa_", TokenFormat::Alphabet::kWord, 32},
    {"shopify-shared-secret", "shpss_", TokenFormat::Alphabet::kWord, 32},
    {"openai-api-key", "sk-", TokenFormat::Alphabet::kWord, 16},
    {"anthropic-api-key", "sk-ant-", TokenFormat::Alphabet::kWord, 24},
    {"stripe-access-token", "sk_live_", TokenFormat::Alphabet::kWord, 10},
    {"stripe-access-token", "sk_prod_", TokenFormat::Alphabet::kWord, 10},
    {"stripe-access-token", "sk_test_", TokenFormat::Alphabet::kWord, 10},
    {"settlemint-token", "sm_aat_", TokenFormat::Alphabet::kWord, 16},
    {"settlemint-token", "sm_pat_", TokenFormat::Alphabet::kWord, 16},
    {"settlemint-token", "sm_sat_", TokenFormat::Alphabet::kWord, 16},
    {"sentry-org-token", "sntrys_", TokenFormat::Alphabet::kBase64, 60},
    {"sentry-user-token", "sntryu_", TokenFormat::Alphabet::kWord, 64},
    {"square-access-token", "sq0atp-", TokenFormat::Alphabet::kWord, 22},
    {"scalingo-api-token", "tk-us-", TokenFormat::Alphabet::kWord, 48},
    {"tailscale-key*", "tskey-", TokenFormat::Alphabet::kWord, 16},
    {"cloudflare-origin-ca-key", "v1.0-", TokenFormat::Alphabet::kWord, 120},
    {"slack-app-token", "xapp-", TokenFormat::Alphabet::kWord, 16},
    {"sendinblue-api-token", "xkeysib-", TokenFormat::Alphabet::kWord, 64},
    {"slack-legacy-token", "xoxa-", TokenFormat::Alphabet::kWord, 10},
    {"slack-bot-token", "xoxb-", TokenFormat::Alphabet::kWord, 10},
    {"slack-config-token", "xoxe-", TokenFormat::Alphabet::kWord, 16},
    {"slack-config-token", "xoxe.", TokenFormat::Alphabet::kDotted, 16},
    {"slack-legacy-token", "xoxo-", TokenFormat::Alphabet::kWord, 10},
    {"slack-user-token", "xoxp-", TokenFormat::Alphabet::kWord, 10},
    {"slack-legacy-token", "xoxr-", TokenFormat::Alphabet::kWord, 10},
    {"slack-legacy-token", "xoxs-", TokenFormat::Alphabet::kWord, 10},
});

}  // namespace filecall
