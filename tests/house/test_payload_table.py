"""What is known of a payload stands in one table: other modules ask it, and name no payload."""

import ast

from tests.house.checkout import ROOT, nodes_of
from toolgrammar.grammar.payload_kinds import PAYLOADS

PACKAGE = ROOT / "toolgrammar"
TABLE = PACKAGE / "grammar" / "payload_kinds.py"
NAMES = {
    name
    for name, payload in PAYLOADS.items()
    if payload.notation not in ("text", "raw", "json") or payload.backticks
}
"""Payloads that are written otherwise than as text or in JSON."""


def test_no_other_module_names_such_a_payload() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), node.value)
        for path in PACKAGE.rglob("*.py")
        if path != TABLE
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and node.value in NAMES
    }
    assert not found, f"make what these ask for a field of `Payload`: {found}"


def test_only_json_has_what_readers_of_json_ask_for() -> None:
    for name, row in PAYLOADS.items():
        asked = row.json_types or row.object_only or row.backticks
        assert row.notation == "json" or not asked, name


def test_the_table_has_such_payloads() -> None:
    assert len(NAMES) >= 4
