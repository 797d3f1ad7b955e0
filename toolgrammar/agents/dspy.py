"""Provides an adapter for DSPy that reads the calls in the text of a model's answers.

Example: with `dspy.configure(adapter=TextCallAdapter(TextCalls(format, prompt=True)))` an output
field of the type `dspy.ToolCalls` contains the call in
`<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>`.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

try:
    from dspy.adapters.chat_adapter import ChatAdapter
    from dspy.adapters.types.tool import ToolCalls
    from dspy.utils.exceptions import AdapterParseError
except ImportError as error:
    raise ImportError(
        "this adapter needs DSPy: pip install 'toolgrammar[dspy]'", name="dspy"
    ) from error

from toolgrammar.agents.reading import NativeCall
from toolgrammar.agents.text_calls import check_settings

if TYPE_CHECKING:
    from dspy.clients.base_lm import BaseLM
    from dspy.signatures.signature import Signature

    from toolgrammar.agents.text_calls import TextCalls

__all__ = ["TextCallAdapter"]

_LOG = logging.getLogger(__name__)

_Asked: TypeAlias = tuple[list[dict[str, Any]], list[dict[str, Any]]]
# `parse` gets only the answer; `format` runs before it, in the same task, and stores the request.
_ASKED: ContextVar[_Asked] = ContextVar("asked", default=([], []))
# The finish reason is stored too, since DSPy keeps it only in the history of its model.
_REASON: ContextVar[str | None] = ContextVar("finish_reason", default=None)


class TextCallAdapter(ChatAdapter):
    """Fills the output field of the type `dspy.ToolCalls` with the calls in the answer's text.

    The other fields are read from the rest of the text, as DSPy's `ChatAdapter` does; if there are
    calls, they may be missing. Signatures without such a field are left to `ChatAdapter`.
    """

    def __init__(self, settings: TextCalls, **options: Any) -> None:
        """Sets up the adapter.

        Args:
            settings: how the model writes calls.
            options: further arguments of `ChatAdapter`.

        Raises:
            TypeError: the settings have another type.
        """
        check_settings(settings)
        # By default the error is raised, and the model is not asked again in another format.
        super().__init__(**{"use_json_adapter_fallback": False, **options})
        self._settings = settings

    def format(
        self,
        signature: type[Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Returns the messages; with `prompt=True` the format's prompt describes the tools."""
        calls = self._get_tool_call_output_field_name(signature)
        field = self._get_tool_call_input_field_name(signature)
        if calls is None or field is None:
            return super().format(signature, demos, inputs)
        # DSPy accepts one tool as well as a list of them.
        tools = inputs[field] if isinstance(inputs[field], list) else [inputs[field]]
        specs = [tool.format_as_litellm_function_call() for tool in tools]
        if self._settings.prompt:
            # DSPy's own instructions for calls would contradict those of the format.
            signature = signature.delete(calls).delete(field)
            inputs = {name: value for name, value in inputs.items() if name != field}
        messages = super().format(signature, demos, inputs)
        _ASKED.set((specs, messages))
        return self._settings.written(messages, specs) if self._settings.prompt else messages

    def parse(self, signature: type[Signature], completion: str) -> dict[str, Any]:
        """Returns the values of the output fields.

        Raises:
            AdapterParseError: no call may run, or a required field is missing.
        """
        field = self._get_tool_call_output_field_name(signature)
        if field is None:
            return super().parse(signature, completion)
        answer = self._settings.read(completion, *_ASKED.get(), _REASON.get())
        if not (answer.calls or answer.refused or self._settings.prompt):
            # The model may have written its calls as DSPy has taught it, which is not a call of the
            # format, however similar it looks.
            return super().parse(signature, completion)
        if answer.failed:
            raise AdapterParseError(
                adapter_name=type(self).__name__,
                signature=signature,
                lm_response=completion,
                message=answer.feedback,
            )
        if answer.feedback:
            # DSPy has no field for refused calls beside calls that run.
            _LOG.warning(answer.feedback)
        values = self._others(signature.delete(field), answer.text, called=bool(answer.calls))
        calls = [{"name": call.name, "args": call.arguments} for call in answer.calls]
        return {**values, field: ToolCalls.from_dict_list(calls)}

    def _call_postprocess(
        self,
        processed_signature: type[Signature],
        original_signature: type[Signature],
        outputs: list[Any],
        lm: BaseLM,
        lm_kwargs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Returns the values of each answer; tells `parse` which of them the server cut."""
        values: list[dict[str, Any]] = []
        # One after the other, not all at once: `parse` is not told which answer it gets.
        for output, reason in zip(outputs, finish_reasons(lm, outputs), strict=True):
            read = self._repaired(output, lm_kwargs.get("tools") or (), reason, original_signature)
            token = _REASON.set(reason)
            try:
                values += super()._call_postprocess(
                    processed_signature, original_signature, [read], lm, lm_kwargs
                )
            finally:
                _REASON.reset(token)
        return values

    def _repaired(
        self, output: Any, tools: Any, reason: str | None, signature: type[Signature]
    ) -> Any:
        """Returns an answer with its native calls repaired, if the settings say so.

        Raises:
            AdapterParseError: no call may run.
        """
        given = output.get("tool_calls") if isinstance(output, dict) else None
        if not given or not self._settings.repair:
            return output
        # DSPy would complete broken arguments by guessing.
        functions = [(each, _part(each, "function")) for each in given]
        native = [
            NativeCall(_part(function, "name"), _part(each, "id"), _part(function, "arguments"))
            for each, function in functions
        ]
        answer = self._settings.read("", tools, (), reason, native=native)
        if answer.failed:
            raise AdapterParseError(
                adapter_name=type(self).__name__,
                signature=signature,
                lm_response=str(output),
                message=answer.feedback,
            )
        if answer.feedback:
            _LOG.warning(answer.feedback)
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.json},
            }
            for call in answer.calls
        ]
        return {**output, "tool_calls": calls}

    def _others(self, signature: type[Signature], text: str, *, called: bool) -> dict[str, Any]:
        """Returns the values of the fields other than calls."""
        if not signature.output_fields:
            return {}
        try:
            return super().parse(signature, text)
        except AdapterParseError:
            # A model that calls a tool often has nothing to say yet, as with native calls.
            if not called:
                raise
            return dict.fromkeys(signature.output_fields)


def finish_reasons(lm: BaseLM, outputs: list[Any]) -> list[str | None]:
    """Returns the finish reason of each answer; None if it is not known.

    Args:
        lm: the model that answered.
        outputs: its answers: the list that it returned itself, not a copy.
    """
    unknown: list[str | None] = [None] * len(outputs)
    # By identity: other tasks may ask the same model at the same time.
    entries = (entry for entry in reversed(lm.history) if entry.get("outputs") is outputs)
    entry = next(entries, None)
    if entry is None:  # with `disable_history=True`
        return unknown
    response = entry.get("response")
    # A chat completion, or DSPy's own response, which is a tuple if there are several answers.
    answers = _part(response, "choices") or (
        response if isinstance(response, tuple) else [response]
    )
    found = [_reason(answer) for answer in answers]
    # If the counts differ, it is unknown which reason belongs to which answer.
    return found if len(found) == len(outputs) else unknown


def _reason(answer: object) -> str | None:
    reason = _part(answer, "finish_reason")
    # The spelling of the Responses API.
    if reason is None and _part(answer, "status") == "incomplete":
        return "length"
    return reason if isinstance(reason, str) else None


def _part(holder: object, name: str) -> Any:
    # Cached responses are dicts, others are objects.
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
