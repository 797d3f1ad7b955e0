"""Which parser of which peer reads which format, and which of its markup a tokenizer keeps whole."""

from __future__ import annotations

from typing import NamedTuple


class Wire(NamedTuple):
    """What peers call one of our formats, and its special tokens."""

    vllm: str | None
    sglang: tuple[str, ...]
    tokens: tuple[str, ...]
    transformers: str | None = None
    """A model type of the response templates that `transformers serve` falls back to."""


def _pair(name: str) -> tuple[str, str]:
    return f"<{name}>", f"</{name}>"


_CALL = _pair("tool_call")
_THINK = _pair("think")
_TURN = ("<|im_start|>", "<|im_end|>")
_KEYS = (*_pair("arg_key"), *_pair("arg_value"))
_GLM = (*_CALL, *_KEYS, *_THINK, "<|user|>", "<|assistant|>", "<|observation|>")
_DSML = ("\uff5cDSML\uff5c", *_THINK)
_MISTRAL = (
    "[TOOL_CALLS]",
    "[ARGS]",
    "[CALL_ID]",
    "[THINK]",
    "[/THINK]",
    "[INST]",
    "[/INST]",
    "</s>",
)
_COHERE = tuple(
    f"<|{edge}_{part}|>"
    for part in ("ACTION", "RESPONSE", "TEXT", "THINKING")
    for edge in ("START", "END")
)
_PLAMO = tuple(
    f"<|plamo:{edge}_{part}:plamo|>"
    for part in ("think", "tool_requests", "tool_request", "tool_name", "tool_arguments")
    for edge in ("begin", "end")
)
_IFM = tuple(
    f"<{slash}ifm|{part}>"
    for part in ("tool_calls", "tool_call", "arg_key", "arg_type", "arg_value", "think")
    for slash in ("", "/")
)


def _deepseek(*parts: str) -> tuple[str, ...]:
    return tuple(f"<\uff5ctool\u2581{part}\uff5c>" for part in parts)


_DEEPSEEK = (
    *_deepseek("calls\u2581begin", "calls\u2581end", "call\u2581begin", "call\u2581end", "sep"),
    *_THINK,
)
_INTERNLM = ("<|action_start|>", "<|action_end|>", "<|plugin|>", "<|interpreter|>")
_STEP = tuple(
    f"<\uff5c{part}\uff5c>"
    for part in (
        "tool_calls_begin",
        "tool_calls_end",
        "tool_call_begin",
        "tool_call_end",
        "tool_sep",
    )
)

WIRES: dict[str, Wire] = {
    "apertus": Wire("apertus", ("apertus2509",), ("<|tools_prefix|>", "<|tools_suffix|>")),
    "cohere_command3": Wire("cohere_command3", (), _COHERE),
    "cohere_command4": Wire("cohere_command4", ("cohere_command4",), _COHERE),
    "deepseek_v3": Wire("deepseek_v3", ("deepseekv3",), _DEEPSEEK),
    "deepseek_v3_1": Wire("deepseek_v31", ("deepseekv31",), _DEEPSEEK),
    "deepseek_v3_2": Wire("deepseek_v32", ("deepseekv32",), _DSML),
    "deepseek_v4": Wire("deepseek_v4", ("deepseekv4",), _DSML),
    "deepseek_v4_1": Wire("deepseek_v41", ("deepseekv41",), _DSML),
    "dots": Wire("dots", ("dots",), (*_pair("dots_function_call"), *_THINK)),
    "ernie45": Wire("ernie45", (), (*_CALL, *_THINK, *_pair("response"), "<0x0A>")),
    "functiongemma": Wire(
        "functiongemma", (), ("<start_function_call>", "<end_function_call>", "<escape>")
    ),
    "gemma4": Wire(
        "gemma4",
        ("gemma4",),
        (
            "<|tool_call>",
            "<tool_call|>",
            '<|"|>',
            "<|channel>",
            "<channel|>",
            "<|turn>",
            "<turn|>",
            "<|tool_response>",
        ),
        "gemma4",
    ),
    "gigachat3": Wire("gigachat3", ("gigachat3",), ("<|message_sep|>", "<|role_sep|>")),
    "gigachat35": Wire(None, ("gigachat35",), ("\uff5cGCML\uff5c", *_THINK)),
    "glm45": Wire("glm45", ("glm45",), _GLM),
    "glm47": Wire("glm47", ("glm47",), _GLM),
    "granite": Wire("granite", (), ("<|tool_call|>",)),
    "granite_20b_fc": Wire("granite-20b-fc", (), ("<function_call>",)),
    "harmony": Wire(
        None,
        ("gpt-oss",),
        (
            "<|start|>",
            "<|channel|>",
            "<|constrain|>",
            "<|message|>",
            "<|end|>",
            "<|call|>",
            "<|return|>",
        ),
    ),
    "hermes": Wire("hermes", ("hermes", "qwen25"), (*_CALL, *_THINK, *_TURN), "qwen3"),
    "hunyuan_a13b": Wire("hunyuan_a13b", (), _pair("tool_calls")),
    "hy_v3": Wire("hy_v3", ("hunyuan",), (*_pair("tool_calls"), *_CALL, "<tool_sep>", *_KEYS)),
    "hy_v4": Wire("hy_v4", (), ()),
    "inkling": Wire(
        "inkling",
        ("inkling",),
        tuple(
            f"<|{part}|>"
            for part in (
                "content_invoke_tool_json",
                "content_invoke_tool_text",
                "content_model_end_sampling",
                "content_text",
                "content_thinking",
                "content_tool_error",
                "end_message",
                "message_model",
            )
        ),
    ),
    "internlm2": Wire("internlm", ("interns1",), _INTERNLM),
    "iquest_q1": Wire(None, ("iquest_q1",), _pair("iquest_tool_call")),
    "jamba": Wire("jamba", (), _pair("tool_calls")),
    "k2_horizon": Wire("k2_horizon", ("k2_horizon",), _IFM),
    "kimi_k2": Wire(
        "kimi_k2",
        ("kimi_k2",),
        (
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>",
            "<|tool_call_end|>",
            "<|tool_call_argument_begin|>",
            *_THINK,
            "<|im_end|>",
        ),
    ),
    "kimi_k3": Wire(
        "kimi_k3", ("kimi_k3",), ("<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>")
    ),
    "lfm2": Wire("lfm2", ("lfm2",), ("<|tool_call_start|>", "<|tool_call_end|>")),
    "llama3_json": Wire("llama3_json", ("llama3",), ("<|python_tag|>", "<|eom_id|>", "<|eot_id|>")),
    "llama4_pythonic": Wire(
        "llama4_pythonic",
        ("pythonic",),
        ("<|python_start|>", "<|python_end|>", "<|eom|>", "<|eot|>"),
    ),
    "longcat": Wire("longcat", (), _pair("longcat_tool_call")),
    "mimo": Wire("mimo", ("mimo",), (*_CALL, *_THINK)),
    "minicpm5": Wire("minicpm5", ("minicpm5",), _THINK),
    "minimax_m2": Wire("minimax_m2", ("minimax-m2",), (*_pair("minimax:tool_call"), *_THINK)),
    "minimax_m3": Wire("minimax_m3", ("minimax-m3",), ("]<]minimax[>[", *_THINK)),
    "mistral_json": Wire("mistral", ("mistral",), ("[TOOL_CALLS]", "</s>")),
    "mistral_v11": Wire("mistral", ("mistral",), _MISTRAL),
    "olmo3": Wire("olmo3", (), _pair("function_calls")),
    "phi4_mini": Wire("phi4_mini_json", (), ()),
    "plamo3": Wire(
        "plamo3", (), (*_PLAMO, "<|plamo:constrain|>", "<|plamo:msg|>", "<|plamo:tag|>")
    ),
    "pythonic": Wire("pythonic", ("pythonic",), ("<|python_tag|>",)),
    "qwen3_xml": Wire("qwen3_coder", ("qwen3_coder",), (*_CALL, *_THINK, *_TURN), "qwen3_5"),
    "seed_oss": Wire("seed_oss", (), (*_pair("seed:tool_call"), *_pair("seed:think"))),
    "step3": Wire("step3", ("step3",), (*_STEP, *_THINK)),
    "trinity": Wire(None, ("trinity",), (*_CALL, *_THINK)),
    "xlam": Wire("xlam", (), _THINK),
}
"""By the id of our format."""

TURN_TOKENS = frozenset(
    {
        *_TURN, "</s>", "[INST]", "[/INST]", "<|eom_id|>", "<|eot_id|>", "<|eom|>", "<|eot|>",
        "<|user|>", "<|assistant|>", "<|observation|>", "<|turn>", "<turn|>",
    }
)  # fmt: skip
"""What tokenizers list as special: the turns. Markup of tools they keep whole, but do not list,
and vLLM drops what is listed."""
