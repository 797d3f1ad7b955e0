"""Text in, calls and events out.

A chunk of text goes to the driver (`driver/`), which follows the nodes and steps of a format
(`machine/`) and hands payloads to their readers (`payloads/`). What was read becomes the draft of a
call and at last a call of the message (`message/`, with its arguments from `arguments/`). Damage is
mended in `mending/`; `trust/` judges which calls may run. `several/` reads one text by several
formats. `shortcuts/` reads what is sound faster, with the same result.
"""
