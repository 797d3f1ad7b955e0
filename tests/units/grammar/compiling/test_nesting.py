"""A whole call that a raw value quotes is told by what stands behind its opener."""

from pathlib import Path

from tests.units.core.held import check, format_in

GRAMMAR = r"""//@ id: quoting
%import .common.text (TEXT, RAW)

start: (TEXT | call)*

call: "<call " name ">" argument* "</call>"
name: /\w+/
argument: "<arg " key ">" value "</arg>"
key: /\w+/
value: RAW
"""
QUOTED = "<call g><arg b>1</arg></call>"


def test_a_quoted_call_stays_in_its_value(tmp_path: Path) -> None:
    value = f"as in {QUOTED} here"
    text = f"<call f><arg a>{value}</arg></call>"
    call = {"name": "f", "arguments": {"a": value}}
    check(format_in(tmp_path, GRAMMAR), text, {"calls": [call], "tier": "well_formed"})
