"""Provides a callback for LiteLLM that converts calls in the text of answers to tool calls.

Example: `litellm.callbacks = [ToolCallsFromText(ModelRules({}, ModelRule("my.lark")))]`, or the
same object in the proxy's `litellm_settings.callbacks`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

try:
    from litellm.integrations.custom_logger import CustomLogger
    from litellm.types.utils import ModelResponse, ModelResponseStream
except ImportError as problem:
    message = "this callback needs litellm: pip install litellm"
    raise ImportError(message, name=problem.name) from problem

from toolgrammar.proxy.answer import reading_of
from toolgrammar.proxy.models import ModelRules
from toolgrammar.proxy.prompted import rewrite_request
from toolgrammar.proxy.response import read_response
from toolgrammar.proxy.stream import StreamRewriter
from toolgrammar.salvage.policy import SalvagePolicy
from toolgrammar.values.errors import check_type
from toolgrammar.values.feedback import shown_name

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping

    from toolgrammar.proxy.answer import Reading
    from toolgrammar.salvage.refusals import Refusal
    from toolgrammar.values.calls import ToolCall

LOG: Final = logging.getLogger("toolgrammar.proxy")
_ASKED: Final = "toolgrammar_request"
"""The key of a request's metadata for the client's original request, with its tools."""
_READ_BY: Final = (
    *("tools", "tool_choice", "parallel_tool_calls"),
    *("messages", "continue_final_message", "echo"),
)
"""The keys of a request that say how its answer is read."""


class ToolCallsFromText(CustomLogger):  # type: ignore[misc]  # the package may be missing
    """Reads the answers of models by their rules; models without a rule are left alone."""

    def __init__(self, rules: ModelRules, *, policy: SalvagePolicy | None = None) -> None:
        """Sets up the callback.

        Args:
            rules: the format in which each model writes calls, by the names in LiteLLM.
            policy: decides which calls may run; None for the default policy.

        Raises:
            TypeError: the rules or the policy have another type.
        """
        check_type("rules", rules, ModelRules, "ModelRules({}, ModelRule(format)) makes them")
        check_type("policy", policy, (SalvagePolicy, type(None)))
        super().__init__()
        self._rules = rules
        self._policy = policy

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any
    ) -> dict[str, Any]:
        """Returns a request of LiteLLM's proxy, with its tools in the prompt if a rule says so."""
        rule = self._rules[data.get("model")]
        if rule is None or not rule.prompt or not data.get("tools"):
            return data
        new = rewrite_request(data, format=rule.format, prompt=True)
        asked = {key: data[key] for key in _READ_BY if key in data}
        # The answer is read with the tools that were removed from the request.
        # LiteLLM keeps metadata for the later hooks, and does not send it to the model.
        new["metadata"] = {**(data.get("metadata") or {}), _ASKED: asked}
        return new

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """Returns a whole answer of LiteLLM's proxy."""
        return self._read(data, response)

    async def async_post_call_success_deployment_hook(
        self, request_data: dict[str, Any], response: Any, call_type: Any
    ) -> Any:
        """Returns a whole answer of the package itself, `litellm.acompletion`."""
        return self._read(request_data, response)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """Yields the chunks of a streamed answer of LiteLLM's proxy."""
        async for chunk in self.stream(response, request_data):
            yield chunk

    async def stream(
        self, chunks: AsyncIterator[Any], request: Mapping[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """Yields the chunks of a stream with its calls read; for callers of `litellm.acompletion`.

        Args:
            chunks: the result of `litellm.acompletion(…, stream=True)`.
            request: its `model`, `messages` and `tools`.
        """
        reading = self._reading(request)
        if reading is None:
            async for chunk in chunks:
                yield chunk
            return
        rewriter = StreamRewriter(reading)
        async for chunk in chunks:
            if not isinstance(chunk, ModelResponseStream):
                yield chunk
                continue
            # Without the keys that are None: LiteLLM's objects have all keys of all providers.
            given = chunk.model_dump(exclude_none=True)
            for new in rewriter.feed(given):
                # A chunk that did not change is passed on as the same object.
                yield chunk if new is given else ModelResponseStream(**new)
        # The stream ended without a reason; if the server breaks off, LiteLLM raises.
        for new in rewriter.close():
            if "error" not in new:
                yield ModelResponseStream(**new)

    def _read(self, request: Mapping[str, Any], response: Any) -> Any:
        """Returns an answer with its calls read; the same object if nothing changes."""
        # Embeddings, images and the like use the same hook.
        reading = self._reading(request) if isinstance(response, ModelResponse) else None
        if reading is None:
            return response
        given = response.model_dump()
        found = read_response(given, reading)
        if found is given:
            return response
        new = ModelResponse(**found)
        # Costs, headers and the like, which are not part of the answer.
        new._hidden_params = response._hidden_params  # noqa: SLF001 - LiteLLM's own callbacks do so
        return new

    def _reading(self, request: Mapping[str, Any]) -> Reading | None:
        """Returns how the answer to a request is read; None if it is not."""
        rule = self._rules[request.get("model")]
        if rule is None:
            return None
        # LiteLLM without its proxy calls no hook before the request: then this is the original
        # request.
        asked = (request.get("metadata") or {}).get(_ASKED) or request
        return reading_of(
            asked, rule.format, self._policy, rule.prefix, _report, repair=rule.repair
        )


def _report(call: ToolCall, refusal: Refusal | None) -> None:
    if refusal is not None:
        LOG.info("refused a call of %s: %s", shown_name(call.name), refusal.code)
