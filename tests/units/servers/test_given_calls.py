from toolgrammar.servers.given_calls import GivenCalls
from toolgrammar.servers.message_reader import Arguments, CallBegun, Content


class ServersParser:
    """Sets its lists up as the base classes of both servers do."""

    def __init__(self) -> None:
        self.prev_tool_call_arr = list[dict[str, object]]()
        self.streamed_args_for_tool = list[str]()


class Both(GivenCalls, ServersParser):
    pass


def test_the_lists_hold_what_went_out() -> None:
    parser = Both()
    assert (parser.prev_tool_call_arr, parser.streamed_args_for_tool) == ([], [])
    parser.note([Content("Hm."), CallBegun(0, "search", None), Arguments(0, '{"q"')])
    parser.note([Arguments(0, ": 1}"), CallBegun(1, "fetch", "id")])
    assert parser.prev_tool_call_arr == [
        {"name": "search", "arguments": '{"q": 1}'},
        {"name": "fetch", "arguments": ""},
    ]
    assert parser.streamed_args_for_tool == ['{"q": 1}', ""]
    assert (parser.current_tool_id, parser.current_tool_name_sent) == (1, True)
    parser.forget_calls()
    assert (parser.prev_tool_call_arr, parser.current_tool_id) == ([], -1)
