"""An adapter of DSPy that reads the calls in the text of a model's answers.

With `dspy.configure(adapter=TextCallAdapter(TextCalls(format, prompt=True)))` an output field of
the type `dspy.ToolCalls` holds the call in
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

from toolgrammar.agents.text_calls import check_settings

if TYPE_CHECKING:
    from dspy.clients.base_lm import BaseLM
    from dspy.signatures.signature import Signature

    from toolgrammar.agents.text_calls import TextCalls

__all__ = ["TextCallAdapter"]

_LOG = logging.getLogger(__name__)

_Asked: TypeAlias = tuple[list[dict[str, Any]], list[dict[str, Any]]]
# `parse` is handed the answer alone; `format` runs before it, in the same task.
_ASKED: ContextVar[_Asked] = ContextVar("asked", default=([], []))
# So is why the server stopped, which DSPy keeps in the history of its model alone.
_REASON: ContextVar[str | None] = ContextVar("finish_reason", default=None)


class TextCallAdapter(ChatAdapter):
    """Fills the output field of the type `dspy.ToolCalls` with calls of the answer's text.

    The other fields are read of the rest of the text, as DSPy's `ChatAdapter` does; where there are
    calls, they may be missing. A signature without such a field is none of this adapter's business.
    """

    def __init__(self, settings: TextCalls, **options: Any) -> None:
        """Sets up the adapter.

        Args:
            settings: how the model writes calls.
            options: what `ChatAdapter` takes.

        Raises:
            TypeError: the settings are something else.
        """
        check_settings(settings)
        # By default the error says what was wrong, and nobody asks in another format.
        super().__init__(**{"use_json_adapter_fallback": False, **options})
        self._settings = settings

    def format(
        self,
        signature: type[Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Returns the messages; with `prompt=True` the format's prompt tells of the tools."""
        calls = self._get_tool_call_output_field_name(signature)
        field = self._get_tool_call_input_field_name(signature)
        if calls is None or field is None:
            return super().format(signature, demos, inputs)
        # DSPy takes one tool as well as a list of them.
        tools = inputs[field] if isinstance(inputs[field], list) else [inputs[field]]
        specs = [tool.format_as_litellm_function_call() for tool in tools]
        if self._settings.prompt:
            # DSPy's own way to write calls would stand beside the format's.
            signature = signature.delete(calls).delete(field)
            inputs = {name: value for name, value in inputs.items() if name != field}
        messages = super().format(signature, demos, inputs)
        _ASKED.set((specs, messages))
        return self._settings.written(messages, specs) if self._settings.prompt else messages

    def parse(self, signature: type[Signature], completion: str) -> dict[str, Any]:
        """Returns the values of the output fields.

        Raises:
            AdapterParseError: no call may run, or a field that must be there is not.
        """
        field = self._get_tool_call_output_field_name(signature)
        if field is None:
            return super().parse(signature, completion)
        answer = self._settings.read(completion, *_ASKED.get(), _REASON.get())
        if not (answer.calls or answer.refused or self._settings.prompt):
            # The model may have written its calls as DSPy has taught it, which is no call of the
            # format, however much it looks like one.
            return super().parse(signature, completion)
        if answer.failed:
            raise AdapterParseError(
                adapter_name=type(self).__name__,
                signature=signature,
                lm_response=completion,
                message=answer.feedback,
            )
        if answer.feedback:
            # DSPy has no place for what was refused beside calls that run.
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
        """Returns the values of each answer; `parse` is told which of them the server cut."""
        values: list[dict[str, Any]] = []
        # One after the other, and not all at once: `parse` is not told which answer it is handed.
        for output, reason in zip(outputs, finish_reasons(lm, outputs), strict=True):
            token = _REASON.set(reason)
            try:
                values += super()._call_postprocess(
                    processed_signature, original_signature, [output], lm, lm_kwargs
                )
            finally:
                _REASON.reset(token)
        return values

    def _others(self, signature: type[Signature], text: str, *, called: bool) -> dict[str, Any]:
        """Returns the values of the fields that are no calls."""
        if not signature.output_fields:
            return {}
        try:
            return super().parse(signature, text)
        except AdapterParseError:
            # A model that calls a tool has often nothing to say yet; native calls are the same.
            if not called:
                raise
            return dict.fromkeys(signature.output_fields)


def finish_reasons(lm: BaseLM, outputs: list[Any]) -> list[str | None]:
    """Returns why the server stopped each answer; None where that is not known.

    Args:
        lm: the model that answered.
        outputs: its answers, the very list that it returned.
    """
    unknown: list[str | None] = [None] * len(outputs)
    # By identity: other tasks may ask the same model at the same time.
    entries = (entry for entry in reversed(lm.history) if entry.get("outputs") is outputs)
    entry = next(entries, None)
    if entry is None:  # with `disable_history=True`
        return unknown
    response = entry.get("response")
    # A chat completion, or a response of DSPy's own, of which there is a tuple for several answers.
    answers = _part(response, "choices") or (
        response if isinstance(response, tuple) else [response]
    )
    found = [_reason(answer) for answer in answers]
    # Where the counts differ nobody can say which reason belongs to which answer.
    return found if len(found) == len(outputs) else unknown


def _reason(answer: object) -> str | None:
    reason = _part(answer, "finish_reason")
    # The Responses API says it so.
    if reason is None and _part(answer, "status") == "incomplete":
        return "length"
    return reason if isinstance(reason, str) else None


def _part(holder: object, name: str) -> Any:
    # What was cached is dicts, what was not is objects.
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
