"""Tokens that are known by their form.

The formats of detect-secrets (Yelp), which a verification over the network belongs to there, are
used here as patterns alone: nothing is ever sent. Beside them stand formats that it lacks. A text
without a long word of letters and digits, as most talk is, is not looked at.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from bitempo.ingest.secrets.spans import Span

_RUN = re.compile(r"\S{16,}")
_PIECE = 1_000
_OVERLAP = 400
"""Longer than tokens usually are, but JWTs, which have a pattern of their own."""

_DATA = re.compile(r"data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,[A-Za-z0-9+/=_-]*+")
_JWT = re.compile(
    r"(?<![A-Za-z0-9_-])(eyJ[A-Za-z0-9_-]{8,}+)\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]++){0,3}"
)
_MAY_BE = re.compile(r"\d|gl[a-z]{2,5}-|gh[a-z]_|hf_|npm_|xox|sk-")
"""Stands in nearly every token, and in few words."""

_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]")

# Module, class and kind. Left out: entropy and keywords, which talk is full of; public addresses,
# which are no secrets; and what is written of our own where it has to be stricter.
_LIBRARY = (
    ("artifactory", "ArtifactoryDetector", "artifactory-token"),
    ("aws", "AWSKeyDetector", "aws-key"),
    ("azure_storage_key", "AzureStorageKeyDetector", "azure-key"),
    ("discord", "DiscordBotTokenDetector", "discord-token"),
    ("github_token", "GitHubTokenDetector", "github-token"),
    ("gitlab_token", "GitLabTokenDetector", "gitlab-token"),
    ("mailchimp", "MailchimpDetector", "mailchimp-key"),
    ("openai", "OpenAIDetector", "openai-key"),
    ("pypi_token", "PypiTokenDetector", "pypi-token"),
    ("sendgrid", "SendGridDetector", "sendgrid-key"),
    ("slack", "SlackDetector", "slack-token"),
    ("square_oauth", "SquareOAuthDetector", "square-token"),
    ("stripe", "StripeDetector", "stripe-key"),
    ("telegram_token", "TelegramBotTokenDetector", "telegram-token"),
    ("twilio", "TwilioKeyDetector", "twilio-key"),
)
_OURS = (
    ("github-token", r"github_pat_[A-Za-z0-9_]{60,90}"),
    ("anthropic-key", r"sk-ant-[A-Za-z0-9_-]{24,120}"),
    ("openrouter-key", r"sk-or-[A-Za-z0-9_-]{24,120}"),
    ("openai-key", r"sk-(?:proj-|svcacct-|admin-)?(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,200}"),
    ("google-key", r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,300}|GOCSPX-[A-Za-z0-9_-]{28}"),
    ("huggingface-token", r"hf_[A-Za-z0-9]{30,40}"),
    ("npm-token", r"npm_[A-Za-z0-9]{36}"),
    ("stripe-key", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,120}|whsec_[A-Za-z0-9+/=]{24,80}"),
    ("slack-token", r"xox[abeoprs]-[A-Za-z0-9-]{10,200}|xapp-\d-[A-Za-z0-9-]{20,200}"),
    ("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,120}"),
    ("discord-webhook", r"https://discord(?:app)?\.com/api/webhooks/\d{15,22}/[\w-]{40,90}"),
    ("digitalocean-token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("shopify-token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("docker-token", r"dckr_[po]at_[A-Za-z0-9_-]{20,60}"),
    ("databricks-token", r"dapi[a-f0-9]{32}(?:-\d)?"),
    ("vault-token", r"hv[sb]\.[A-Za-z0-9_-]{24,200}"),
    ("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}"),
    ("mailgun-key", r"key-[a-f0-9]{32}"),
    ("atlassian-token", r"ATATT3x[A-Za-z0-9_=-]{60,250}"),
    ("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    ("notion-token", r"(?:secret_|ntn_)(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40,50}"),
    ("groq-key", r"gsk_[A-Za-z0-9]{40,60}"),
    ("xai-key", r"xai-[A-Za-z0-9]{60,90}"),
    ("perplexity-key", r"pplx-[A-Za-z0-9]{40,60}"),
    ("nvidia-key", r"nvapi-[A-Za-z0-9_-]{50,80}"),
    ("replicate-token", r"r8_[A-Za-z0-9]{36,40}"),
    ("sentry-token", r"sntr(?:ys|yu)_[A-Za-z0-9+/=_-]{40,200}"),
    ("figma-token", r"figd_[A-Za-z0-9_-]{36,60}"),
    ("tailscale-key", r"tskey-[a-z]{3,12}-[A-Za-z0-9-]{20,60}"),
    ("doppler-token", r"dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,60}"),
    ("postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("rubygems-key", r"rubygems_[a-f0-9]{48}"),
    ("pulumi-token", r"pul-[a-f0-9]{40}"),
    ("newrelic-key", r"NRAK-[A-Z0-9]{27}"),
    ("square-token", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}"),
)  # fmt: skip


def tokens(text: str) -> Iterator[Span]:
    """Every token that its form gives away."""
    for match in _JWT.finditer(text):
        if _is_header(match[1]):
            yield Span(*match.span(), "jwt")
    if ";base64," in text:
        # Pictures and the like hold whatever chance put there.
        text = _DATA.sub(lambda match: " " * len(match.group()), text)
    for start, end in _pieces(text):
        piece = text[start:end]
        for kind, pattern in _patterns():
            for match in pattern.finditer(piece):
                found = Span(start + match.start(), start + match.end(), kind)
                if _stands_alone(text, found):
                    yield found


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of bounded length that may hold a token."""
    for match in _RUN.finditer(text):
        if not _MAY_BE.search(match.group()):
            continue
        start, end = match.span()
        while end - start > _PIECE:
            yield start, start + _PIECE
            start += _PIECE - _OVERLAP
        yield start, end


def _stands_alone(text: str, found: Span) -> bool:
    before = text[found.start - 1 : found.start]
    if not _ALPHANUMERIC.match(text, found.start):
        before = ""
    return not _ALPHANUMERIC.match(before) and not _ALPHANUMERIC.match(text, found.end)


def _is_header(part: str) -> bool:
    """Whether it is the header of a JSON web token (RFC 7515, section 4)."""
    try:
        header = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "alg" in header


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    # Loading the library takes a quarter of a second, which few texts need.
    found = [(kind, re.compile(pattern)) for kind, pattern in _OURS]
    for module, name, kind in _LIBRARY:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        found += [(kind, pattern) for pattern in detector.denylist]
    return tuple(found)
