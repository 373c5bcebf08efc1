"""Texts that look like secrets, and texts that do not."""

from __future__ import annotations

# Put together here, so that this file itself holds nothing that looks like a secret.
RANDOM = "q7Rz2LmX9vKd4TnB8sWc1YpF6hJg3QaE5uZo"
AWS = "AKIA" + "Q7RZ2LMX9VKD4TNB"
TOKENS = {
    "aws": AWS,
    "github": "ghp_" + RANDOM,
    "github app": "gho_" + RANDOM,
    "github fine-grained": "github_" + "pat_11" + RANDOM + RANDOM,
    "gitlab": "glpat-" + RANDOM[:20],
    "slack bot": "xoxb-" + "123456789012-" + RANDOM,
    "slack app": "xoxa-" + RANDOM,
    "slack user": "xoxp-" + RANDOM,
    "slack webhook": "https://hooks.slack.com/services/" + "T12345678/B12345678/" + RANDOM[:24],
    "stripe": "sk_live_" + RANDOM[:24],
    "google": "AIza" + RANDOM[:35],
    "anthropic": "sk-ant-" + "api03-" + RANDOM,
    "openai": "sk-" + RANDOM,
    "openai project": "sk-" + "proj-" + RANDOM,
    "npm": "npm_" + RANDOM,
    "hugging face": "hf_" + RANDOM,
    "pem": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "pem plain": "-----BEGIN " + "PRIVATE KEY-----",
    "openssh": "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "jwt": ".".join(["eyJ" + RANDOM[:20], "eyJ" + RANDOM, RANDOM]),
    "password": f'password = "{RANDOM[:16]}"',
    "json password": f'"db_password": "{RANDOM[:16]}"',
    "yaml api key": f"api_key: '{RANDOM[:20]}'",
    "javascript": f'const clientSecret = "{RANDOM[:20]}";',
    "env file": f"export SERVICE_TOKEN={RANDOM[:24]}",
    "url": f"postgres://app:{RANDOM[:14]}@db.internal/app",
}

HARMLESS = {
    "the example of aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "crosses": "ghp_" + "x" * 36,
    "angle brackets": 'token = "<your-token-here-1>"',
    "variable": 'password = "${DB_PASSWORD_2}"',
    "template": 'api_key: "{{ secrets.API_KEY_1 }}"',
    "environment": 'password = os.environ["DB_PASSWORD_1"]',
    "call": "API_TOKEN=$(pass show api/token1)",
    "shell variable": "API_TOKEN=$SERVICE_TOKEN_NUMBER_1",
    "change me": 'password = "changeme-1234567"',
    "words": 'password = "correct-horse-battery"',
    "short": 'password = "hunter2"',
    "low entropy": 'password = "aaaaaaaaaaaa1"',
    "url to tokens": 'token_url = "https://auth.internal/oauth2/token"',
    "path": 'secret_file = "/run/secrets/database1"',
    "hash": 'password_hash = "q7Rz2LmX9vKd4TnB8sWc1YpF6h"',
    "attribute": "access_token = response.oauth2.access_token",
    "user in url": "https://app:password@localhost/db",
    "public key": "-----BEGIN PUBLIC KEY-----",
    "css": "sk-fading-circle-container",
    "sentence": "The token is read from the environment.",
}
