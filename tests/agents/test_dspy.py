"""Programs of DSPy on models that write their calls as text: `make agents`."""

import asyncio
from typing import Any, cast

import pytest

pytest.importorskip("dspy", reason="DSPy is not installed; `make agents` installs it")

import dspy
from dspy.utils.exceptions import AdapterParseError

from toolgrammar.agents.dspy import TextCallAdapter, finish_reasons
from toolgrammar.agents.text_calls import TextCalls

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


class Ask(dspy.Signature):
    """Answers with the help of tools."""

    question: str = dspy.InputField()
    tools: list[dspy.Tool] = dspy.InputField()
    calls: dspy.ToolCalls = dspy.OutputField()


class Say(Ask):
    said: str = dspy.OutputField()


class Script(dspy.BaseLM):
    """Answers with one text after the other."""

    def __init__(self, *answers: str, reason: str = "stop") -> None:
        super().__init__("script", cache=False)
        self.answers = iter(answers)
        self.reason = reason
        self.asked: list[Any] = []

    def forward(self, prompt: Any = None, messages: Any = None, **options: Any) -> Any:
        from litellm import ModelResponse

        self.asked.append(messages)
        message = {"role": "assistant", "content": next(self.answers)}
        return ModelResponse(choices=[{"message": message, "finish_reason": self.reason}])

    async def aforward(self, *args: Any, **options: Any) -> Any:
        return self.forward(*args, **options)


def _ask(
    script: Script,
    signature: Any = Ask,
    *,
    format: str = "hermes",
    prompt: bool = True,
    way: str = "sync",
) -> Any:
    adapter = TextCallAdapter(TextCalls(format, prompt=prompt))
    given = {"question": "1+2?", "tools": [dspy.Tool(add)]}
    with dspy.context(lm=script, adapter=adapter):
        if way == "sync":
            return dspy.Predict(signature)(**given)
        return asyncio.run(dspy.Predict(signature).acall(**given))


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_calls_of_the_text_fill_the_field(way: str, *, prompt: bool) -> None:
    script = Script(f"On it.\n{CALL}\n{CALL.replace('2', '5')}")
    found = _ask(script, prompt=prompt, way=way).calls.tool_calls
    assert [(call.name, call.args) for call in found] == [
        ("add", {"a": 1, "b": 2}),
        ("add", {"a": 1, "b": 5}),
    ]
    assert [call.execute({"add": add}) for call in found] == [3, 6]
    system = script.asked[0][0]["content"]
    assert ("between tool_call tags" in system) is prompt
    assert ("[[ ## calls ## ]]" in system) is not prompt


def test_other_fields_are_read_of_the_rest() -> None:
    found = _ask(Script(f"[[ ## said ## ]]\nOn it.\n{CALL}\n\n[[ ## completed ## ]]"), Say)
    assert found.said == "On it."
    assert len(found.calls.tool_calls) == 1
    assert _ask(Script(CALL), Say).said is None


def test_a_refused_call_raises_with_what_was_wrong() -> None:
    with pytest.raises(AdapterParseError, match="no tool of this name"):
        _ask(Script(CALL.replace("add", "remove")))


def test_a_refused_call_beside_others_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    found = _ask(Script(f"{CALL}\n{CALL.replace('add', 'remove')}"))
    assert [call.name for call in found.calls.tool_calls] == ["add"]
    assert "no tool of this name" in caplog.text


def test_calls_as_dspy_teaches_them_are_read_still() -> None:
    text = '[[ ## calls ## ]]\n{"tool_calls": [{"name": "add", "args": {"a": 1, "b": 2}}]}'
    found = _ask(Script(f"{text}\n\n[[ ## completed ## ]]"), prompt=False)
    assert found.calls.tool_calls[0].args == {"a": 1, "b": 2}


def test_a_signature_without_calls_is_dspys_own() -> None:
    script = Script(f"[[ ## answer ## ]]\n{CALL}\n\n[[ ## completed ## ]]")
    with dspy.context(lm=script, adapter=TextCallAdapter(TextCalls("hermes"))):
        assert dspy.Predict("question -> answer")(question="?").answer == CALL


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_call_of_an_answer_that_was_cut_does_not_run(way: str, *, prompt: bool) -> None:
    # In this format `add(a=1, b=2)` ends a message, and may go on: `add(a=1, b=2) + 1`.
    options: Any = {"format": "pythonic", "prompt": prompt, "way": way}
    text = "add(a=1, b=2)"
    assert len(_ask(Script(text), **options).calls.tool_calls) == 1
    with pytest.raises(AdapterParseError, match="cut"):
        _ask(Script(text, reason="length"), **options)


def test_why_each_of_several_answers_ended_is_known() -> None:
    lm = Script("Hi.")
    outputs, others = ["a", "b"], ["a", "b"]
    choices = [{"finish_reason": "stop"}, {"finish_reason": "length"}]
    lm.history.append({"outputs": outputs, "response": {"choices": choices}})
    lm.history.append({"outputs": others, "response": {"status": "incomplete"}})
    assert finish_reasons(lm, outputs) == ["stop", "length"]
    # Fewer answers than texts: whose reason it is, nobody can say.
    assert finish_reasons(lm, others) == [None, None]
    assert finish_reasons(lm, ["a"]) == [None]
    lm.history.append({"outputs": others[:1], "response": {"status": "incomplete"}})
    assert finish_reasons(lm, lm.history[-1]["outputs"]) == ["length"]


def test_settings_of_another_type_are_told() -> None:
    with pytest.raises(TypeError, match="settings must be a TextCalls, got str 'hermes'"):
        TextCallAdapter(cast("Any", "hermes"))


class Native(Script):
    """Answers with one native call, with the arguments that it was given."""

    @property
    def supports_function_calling(self) -> bool:
        return True

    def forward(self, prompt: Any = None, messages: Any = None, **options: Any) -> Any:
        from litellm import ModelResponse

        function = {"name": "add", "arguments": next(self.answers)}
        call = {"id": "n1", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return ModelResponse(choices=[{"message": message, "finish_reason": self.reason}])


def _native(arguments: str) -> Any:
    adapter = TextCallAdapter(TextCalls("hermes", repair=True), use_native_function_calling=True)
    given = {"question": "1+2?", "tools": [dspy.Tool(add)]}
    with dspy.context(lm=Native(arguments), adapter=adapter):
        return dspy.Predict(Ask)(**given)


def test_broken_native_calls_are_repaired() -> None:
    [call] = _native("{'a': 1, 'b': 2,}").calls.tool_calls
    assert (call.name, call.args) == ("add", {"a": 1, "b": 2})


@pytest.mark.parametrize("arguments", ["[1, 2]", '{"a": 1, "b": 2, "a": 7}'])
def test_a_native_call_that_may_not_run_raises(arguments: str) -> None:
    with pytest.raises(AdapterParseError, match="`add`"):
        _native(arguments)
