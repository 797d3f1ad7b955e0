"""Secrets are hidden by the names of keys and by what strings look like, and nothing else is."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrammar.engine.tracing.redaction import HIDDEN, Redactor
from toolgrammar.testing.depth import if_quick

SECRET_KEYS = (
    "password", "PASSWORD", "db_password", "userPassword", "passwd", "secret", "client-secret",
    "clientSecret", "token", "access_token", "accessToken", "X-Auth-Token", "Authorization",
    "proxy-authorization", "cookie", "Set-Cookie", "credential", "credentials", "awsCredentials",
    "api_key", "api-key", "apiKey", "APIKey", "API_KEY", "api key", "X-Api-Key", "apikey",
    "private_key", "privateKey", "access key", "AccessKeyId", "old_api_key_id",
)  # fmt: skip
OPEN_KEYS = (
    "max_tokens", "maxTokens", "tokens", "tokenizer", "secretary", "keyboard", "key", "api",
    "key_api", "api_version_key", "passwords_changed", "author", "cookies_enabled", "monkey", "",
)  # fmt: skip
SECRET_TEXTS = (
    "sk-abcdefghijklmnopqrstuvwx",
    "sk-proj-A1b2_C3d4-E5f6G7h8",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "gho_0123456789abcdefghij",
    "github_pat_11ABCDEFG_0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefGHIJKL",
    "xoxp-1-2-3-4-abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r",
    "Bearer abc123.def-456_ghi",
    "bearer   QWxhZGRpbjpvcGVuc2VzYW1l==",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "rk_test_4eC39HqLyjWDarjtT1zdp7dc",
    "glpat-0123456789abcdefghij",
    "AIzaSyA0123456789abcdefghijABCDEFGHIJ01",
    "npm_0123456789abcdefghijABCDEFGHIJ012345",
    "pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAw",
    "hf_0123456789abcdefghijABCDEFGHIJ01",
    "SG.0123456789abcdefghij.0123456789abcdefghij",
    "hvs.CAESIAbcdefghijklmnop0123",
    "123456789:AAE0123456789abcdefghijABCDEFGHIJ01",
    "Basic dXNlcjpwYXNzd29yZA==",
    "basic Om5vbmFtZQ",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----",
)
OPEN_TEXTS = (
    "the task-force met", "a risk-free desk-top", "sk-", "task-abcdefghijk", "AKIAshort",
    "eyJ is how JSON begins in base64", "the bearer of it", "basic authentication",
    "Basic training", "glad-to-hear-of-it", "npm_config", "hf_hub", "at 12:30:45", "-----BEGIN", "xox-o", "ghp_",
)  # fmt: skip


@pytest.mark.parametrize("key", SECRET_KEYS)
def test_all_under_a_secret_key_is_hidden(key: str) -> None:
    data = {"a": [{key: {"deep": ["x", 1]}}], key: 5}
    assert Redactor().data(data) == {"a": [{key: HIDDEN}], key: HIDDEN}


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_other_keys_stay(key: str) -> None:
    assert Redactor().data({key: "x"}) == {key: "x"}


@pytest.mark.parametrize("secret", SECRET_TEXTS)
def test_well_known_shapes_are_hidden_wherever_they_stand(secret: str) -> None:
    redactor = Redactor()
    assert redactor.text(secret) == HIDDEN
    assert redactor.text(f'could not log in with "{secret}"') == f'could not log in with "{HIDDEN}"'
    assert redactor.data({"a": [secret]}) == {"a": [HIDDEN]}


def test_a_key_that_is_cut_off_is_hidden_to_the_end() -> None:
    assert Redactor().text("got -----BEGIN PRIVATE KEY-----\nMIIEow") == f"got {HIDDEN}"


@pytest.mark.parametrize("text", OPEN_TEXTS)
def test_other_texts_stay(text: str) -> None:
    assert Redactor().text(text) == text


def test_a_secret_in_a_key_is_hidden_too() -> None:
    assert Redactor().data({"AKIAIOSFODNN7EXAMPLE": 1}) == {HIDDEN: 1}


@pytest.mark.parametrize("key", ["card number", "card_number", "cardNumber", "oldCardNumber"])
def test_more_keys_may_be_named(key: str) -> None:
    redactor = Redactor(keys=["Card-Number", "§"])
    hidden = {key: HIDDEN, "card": 1, "number": 2, "§": HIDDEN}
    assert redactor.data({key: "4111", "card": 1, "number": 2, "§": 3}) == hidden


def test_patterns_may_be_given_as_text_or_compiled() -> None:
    redactor = Redactor(patterns=[r"\d{3}-\d{2}-\d{4}", re.compile("order no", re.IGNORECASE)])
    assert redactor.text("123-45-6789, Order No 5") == "***, *** 5"


def test_values_are_hidden_literally_and_the_longest_first() -> None:
    redactor = Redactor(values=["hunter2", "hunter2.5 (x)", ""])
    assert redactor.text("hunter2.5 (x) and hunter2, hunter295") == "*** and ***, ***95"


def test_the_original_is_left_alone() -> None:
    data = {"token": "x", "list": [{"n": "sk-abcdefghijk"}]}
    before = json.dumps(data)
    copy = Redactor().data(data)
    assert json.dumps(data) == before
    copy["list"].append(1)
    assert json.dumps(data) == before


def test_what_is_no_string_stays() -> None:
    data = {"n": 1, "f": 2.5, "b": True, "none": None, "tuple": (1, "x")}
    assert Redactor().data(data) == {**data, "tuple": [1, "x"]}


def test_what_lies_too_deep_to_look_at_is_hidden() -> None:
    data: object = "sk-abcdefghijk"
    for _ in range(100_000):
        data = [data]
    assert "sk-" not in json.dumps(Redactor().data(data))


@pytest.mark.parametrize("name", ["keys", "patterns", "values"])
def test_one_string_in_place_of_several_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} wants several strings"):
        Redactor(**{name: "secret"})


def test_a_broken_pattern_is_refused() -> None:
    with pytest.raises(re.error):
        Redactor(patterns=["("])


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    hidden = Redactor().text(text)
    assert hidden == text or HIDDEN in hidden


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("password=hunter2", "password=***"),
        ("PASSWORD = hunter2 rest", "PASSWORD = *** rest"),
        ("?user=ada&api_key=abc&page=2", "?user=ada&api_key=***&page=2"),
        ("Server=db;Uid=ada;Pwd=hunter2;", "Server=db;Uid=ada;Pwd=***;"),
        ("connect(user='ada', password='hun ter2')", "connect(user='ada', password='***')"),
        ('{"user": "ada", "password": "hun\\"ter2"}', '{"user": "ada", "password": "***"}'),
        ("{'clientSecret': 'a b', 'n': 1}", "{'clientSecret': '***', 'n': 1}"),
        ('{"password": "hunter', '{"password": "***"'),
        ("token='a", "token='***'"),
        ('{"token":12345}', '{"token":***}'),
        (r'"{\"password\": \"hunter2\"}"', r'"{\"password\": \"***\"}"'),
        ("postgres://ada:hunter2@db/x", "postgres://ada:***@db/x"),
        ("mysql://root:p@ss@host/a", "mysql://root:***@host/a"),
        ("https://:hunter2@host", "https://:***@host"),
        ("Authorization: Token abc", "Authorization: Token ***"),
        ("{'Authorization': 'Digest abc'}", "{'Authorization': '***'}"),
    ],
)
def test_what_is_assigned_to_a_secret_name_is_hidden(text: str, hidden: str) -> None:
    assert Redactor().text(text) == hidden
    assert Redactor().data({"a": [text]}) == {"a": [hidden]}


@pytest.mark.parametrize(
    "text",
    [
        "password: Field required",
        "token: unexpected argument",
        "authorization: Input should be a valid string",
        "max_tokens=5",
        '{"max_tokens": 5}',
        "a == b",
        "password=",
        "http://host:8080/path",
        "http://host:8080/a@b",
        "mailto:ada@example.org",
        "the password is wrong",
    ],
)
def test_names_in_other_places_stay(text: str) -> None:
    assert Redactor().text(text) == text


def test_own_keys_count_in_texts_too() -> None:
    assert Redactor(keys=["card number"]).text("card_number=4111, n=1") == "card_number=***, n=1"


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "_",
        ".",
        "=",
        '"',
        "'",
        "\\",
        "password=",
        '"password": "',
        "a://",
        "a://b:",
        ":",
        "eyJ.",
        "-eyJ",
        "-----BEGIN A ",
        "bearer  ",
        "basic ",
        "token='\\",
    ],
)
def test_long_texts_are_looked_at_in_linear_work(unit: str) -> None:
    """Twice the text would take for ever if a search began anew at each character."""
    assert Redactor().text(unit * (if_quick(20_000, 200_000) // len(unit)))
