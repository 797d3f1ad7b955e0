import pytest

from toolgrammar.servers.prompt_end import is_closed, needs_special_tokens, prefix_of


@pytest.mark.parametrize(
    ("format_id", "prompt", "prefix"),
    [
        ("hermes", "<|im_start|>assistant\n<think>\n", "<think>\n"),
        ("hermes", "<|im_start|>assistant\n", ""),
        ("hermes", "What is <think> for?<|im_end|>\n<|im_start|>assistant\n", ""),
        ("hermes", "<think>\n\n</think>\n\n", ""),
        # Its opener is a pattern.
        ("hy_v3", "<|hy_Assistant|><think>\n", "<think>\n"),
        ("hy_v3", "<|hy_Assistant|>", ""),
        ("cohere_command4", "<|CHATBOT_TOKEN|><|START_THINKING|>", "<|START_THINKING|>"),
        ("mistral_v11", "[/INST][THINK]", "[THINK]"),
        ("hermes", "", ""),
    ],
)
def test_the_opener_at_the_end_of_a_prompt(format_id: str, prompt: str, prefix: str) -> None:
    assert prefix_of(format_id, prompt) == prefix


def test_a_prompt_that_closed_the_reasoning() -> None:
    assert is_closed("hermes", "assistant\n<think>\n\n</think>\n\n")
    assert not is_closed("hermes", "<think>Hm.</think>Hello<|im_end|>\n<|im_start|>assistant\n")
    # No fixed text closes it.
    assert not is_closed("trinity", "</think>")


def test_special_tokens_are_needed_where_the_grammar_has_them() -> None:
    assert needs_special_tokens("hermes", ("<|eot|>", "<tool_call>"))
    assert not needs_special_tokens("hermes", ("<|eot|>", "<|start_of_role|>"))
    # One that the tokenizer does not call special is in the text anyway.
    assert not needs_special_tokens("hermes", ())
    # Inside of a longer text of the grammar, and in a pattern.
    assert needs_special_tokens("gemma4", ("<|tool_call>",))
    assert needs_special_tokens("hy_v3", ("<tool_calls>",))
    assert needs_special_tokens("auto", ("<|eot|>",))
