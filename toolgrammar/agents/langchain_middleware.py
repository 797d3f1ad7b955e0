"""Provides a middleware for LangChain's agents that reads calls in the text of their models.

Example: `create_agent(model, tools, middleware=[TextCallMiddleware(TextCalls(format,
prompt=True))])` runs the call in `<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>`,
and reports to the model which calls did not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.agents.langchain import REFUSED, TextCallModel
from toolgrammar.agents.text_calls import check_settings

try:
    from langchain.agents.middleware import AgentMiddleware, hook_config
    from langchain_core.messages import AIMessage, ToolMessage
except ImportError as error:
    raise ImportError(
        "this middleware needs LangChain: pip install 'toolgrammar[langchain]'", name="langchain"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from langchain.agents.middleware import AgentState, ModelRequest, ModelResponse
    from langgraph.runtime import Runtime

    from toolgrammar.agents.text_calls import TextCalls

__all__ = ["TextCallMiddleware"]


class TextCallMiddleware(AgentMiddleware):
    """Wraps the model of each request in a `TextCallModel`, whole or streamed."""

    def __init__(self, settings: TextCalls, *, retries: int = 2) -> None:
        """Sets up the middleware.

        Args:
            settings: how the agent's models write calls.
            retries: how often in succession the model is asked again if none of its calls may run.

        Raises:
            TypeError: the settings or the number have another type.
            ValueError: the number is below 0.
        """
        check_settings(settings, retries)
        super().__init__()
        self._settings = settings
        self._retries = retries

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Returns the model's answer with the calls in its text."""
        return handler(self._around(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Returns the model's answer with the calls in its text."""
        return await handler(self._around(request))

    def _around(self, request: ModelRequest) -> ModelRequest:
        # Another middleware may have wrapped it already.
        if isinstance(request.model, TextCallModel):
            return request
        return request.override(model=TextCallModel(request.model, self._settings))

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        """Answers each refused call with the reason; asks the model again if all were refused."""
        messages = state["messages"]
        last = messages[-1]
        refused = last.response_metadata.get(REFUSED) if isinstance(last, AIMessage) else None
        if not refused:
            return None
        names = {call["id"]: call["name"] for call in last.invalid_tool_calls}
        answers = [
            ToolMessage(text, tool_call_id=identity, name=names.get(identity), status="error")
            for identity, text in refused.items()
        ]
        # The calls that may run are run first; then the model sees all results.
        if last.tool_calls or _in_a_row(messages) > self._retries:
            return {"messages": answers}
        return {"messages": answers, "jump_to": "model"}


def _in_a_row(messages: list[Any]) -> int:
    """Returns how many answers at the end of a conversation have only refused calls."""
    count = 0
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            continue
        refused = isinstance(message, AIMessage) and message.response_metadata.get(REFUSED)
        # An answer with a call that ran is progress: the count starts again.
        if not refused or message.tool_calls:
            break
        count += 1
    return count
