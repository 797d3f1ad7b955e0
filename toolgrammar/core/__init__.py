"""Reads the text of a message: chunks of text in, calls and events out.

A chunk goes to the driver (`driver/`, its state in `state/`), which follows the nodes and steps of
a format (`machine/`) and passes payloads to their readers (`payloads/`). The roles that it reports
fill the draft of a call (`calls/`, `arguments/`), which becomes a call of the message (`message/`).
Damaged markup is repaired in `mending/`; `trust/` decides which calls may run, from the signs that
`evidence/` finds in the text. `several/` reads one text in several formats. `shortcuts/` reads
sound text faster, with the same result.

Begin with `state/driver.py`. May import `grammar`, `tools`, `patterns`, `values`.
"""
