"""Hides secrets in a text by their shapes: keys of services, headers, URLs, assignments.

No library fits: those that find secrets scan files, with rules that need the network or guess by
entropy. The prefixes are those that the services document, for their own scanners to find.

`password=hunter2` becomes `password=***`, if `names_secret("password")` is true.
"""

from __future__ import annotations

import re
from base64 import b64decode
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

HIDDEN: Final = "***"
"""The replacement of a secret."""

# A shape begins at the start of a word, so that each character is tested only a few times.
_SHAPES: Final = re.compile(
    r"""
    (?<![A-Za-z0-9_])(?:
        sk-[A-Za-z0-9_-]{6,}                                      # OpenAI, Anthropic and kin
      | (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{6,} | whsec_[A-Za-z0-9+/=]{6,}   # Stripe
      | gh[a-z]_[A-Za-z0-9]{6,} | github_pat_[A-Za-z0-9_]{6,}
      | gl[a-z]{2,10}-[A-Za-z0-9_-]{16,}                          # GitLab
      | A[KS]IA[A-Z0-9]{12,} | ABSK[A-Za-z0-9+/=]{20,}            # AWS
      | AIza[A-Za-z0-9_-]{20,} | ya29\.[A-Za-z0-9_-]{6,} | GOCSPX-[A-Za-z0-9_-]{6,}  # Google
      | xox[a-z]-[A-Za-z0-9-]{6,} | xapp-[A-Za-z0-9-]{6,}         # Slack
      | npm_[A-Za-z0-9]{16,} | pypi-[A-Za-z0-9_-]{16,} | dckr_pat_[A-Za-z0-9_-]{6,}
      | hf_[A-Za-z0-9]{8,} | r8_[A-Za-z0-9]{16,} | gsk_[A-Za-z0-9]{16,} | xai-[A-Za-z0-9]{16,}
      | pplx-[A-Za-z0-9]{16,} | tvly-[A-Za-z0-9-]{16,} | lsv2_(?:pt|sk)_[A-Za-z0-9_]{6,}
      | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{6,} | shp[a-z]{2}_[A-Fa-f0-9]{16,}
      | do[oprt]_v1_[a-f0-9]{16,} | dapi[a-f0-9]{32} | hv[sbr]\.[A-Za-z0-9_-]{16,}
      | ATATT3[A-Za-z0-9_=-]{16,} | ntn_[A-Za-z0-9]{16,} | lin_api_[A-Za-z0-9]{16,}
      | sq0[a-z]{3}-[A-Za-z0-9_-]{16,} | PMAK-[A-Za-z0-9-]{16,} | glsa_[A-Za-z0-9_]{16,}
      | AGE-SECRET-KEY-1[A-Z0-9]{16,} | [0-9]{8,10}:AA[A-Za-z0-9_-]{32,}
      # Its first part is bounded: in a text that repeats `-eyJ` each of them begins one.
      | eyJ[A-Za-z0-9_-]{1,8192}+\.[A-Za-z0-9_-]++\.[A-Za-z0-9_-]*
      | (?i:bearer)\s+[A-Za-z0-9._~+/=-]{6,}
    )
  | -----BEGIN\ [A-Z0-9 ]+-----.*?(?:-----END\ [A-Z0-9 ]+-----|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
"""Keys of well-known services, JSON web tokens, bearer tokens, PEM blocks."""

_BASIC: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?i:basic)[ \t]{1,4}(?P<pair>[A-Za-z0-9+/_-]{4,4096}={0,2})"
)
_HEADER: Final = re.compile(
    r"(?i:(?<![A-Za-z0-9_])(?P<head>authorization\W{1,6}(?:basic|bearer|token|digest|apikey)\s{1,4}))"
    r"(?P<value>[^\s\"',;]{1,4096})"
)
_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/@:\"'<>]{0,256}:)"
    r"[^\s/\"'<>]{1,1024}@"  # up to the last one: a password may have its own
)
# A key and its value, as in configuration files, JSON and Python. Quotes may be escaped:
# JSON inside a JSON string has `\"password\": \"…\"`. `re` misreads a possessive group before 3.11.5.
_ASSIGNED: Final = compile_pattern(
    r"""
    (?<![\w.-])(?P<head>
        (?P<key>[A-Za-z_][\w.-]{0,63})[ \t]?=[ \t]?                # password=…
      | (?P<quote>\\?["'])(?P<name>[A-Za-z_][\w .-]{0,63})(?P=quote)[ \t]?[:=][ \t]{0,4}   # "password": …
    )
    (?P<value>
        \\(?P<inner>["'])(?:[^"'\\]|\\(?!["']))*+(?:\\(?P=inner)|\Z)
      | "(?:[^"\\]|\\.)*+(?:"|\Z) | '(?:[^'\\]|\\.)*+(?:'|\Z)
      | [^\s"'&;,(){}\[\]<>]{1,4096}
    )
    """,
    re.VERBOSE | re.DOTALL,
)


_QUOTE: Final = re.compile(r"^\\?[\"']")


def hide(text: str, names_secret: Callable[[str], bool]) -> str:
    """Returns a text with everything that looks like a secret replaced by `***`.

    Args:
        text: the text.
        names_secret: returns whether the value assigned to a key is secret.
    """
    text = _SHAPES.sub(HIDDEN, text)
    text = _BASIC.sub(_basic, text)
    # Most texts have neither, and need none of the next three searches.
    if "=" in text or ":" in text:
        text = _HEADER.sub(rf"\g<head>{HIDDEN}", text)
        text = _URL.sub(rf"\g<head>{HIDDEN}@", text)

        def assigned(match: re.Match[str]) -> str:
            key = match["key"] or match["name"]
            if not names_secret(key):
                return match[0]
            # The quotes are kept, so that JSON with a hidden value is still JSON.
            quotes = _QUOTE.findall(match["value"][:2])[:1]
            quote = quotes[0] if quotes else ""
            return f"{match['head']}{quote}{HIDDEN}{quote}"

        text = _ASSIGNED.sub(assigned, text)
    return text


def _basic(match: re.Match[str]) -> str:
    """Hides a pair of name and password; any other word behind `basic` is prose."""
    # `basic` is also an English word: `basic functions` must stay. Only what decodes to
    # `name:password` is a secret.
    pair = match["pair"].rstrip("=")
    try:
        decoded = b64decode(pair + "=" * (-len(pair) % 4), altchars=None)
    except ValueError:
        return match[0]
    return HIDDEN if b":" in decoded else match[0]
