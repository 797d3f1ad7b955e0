"""The names under which people know the formats: ids, servers' parser names, models.

Each is written down here by hand, so that a grammar that loses one is noticed.
"""

SERVING = """\
hermes qwen25 trinity longcat ernie45 granite granite4 granite_20b_fc llama3_json mistral_json
minimax_m1 internlm2 jamba hunyuan_a13b phi4_mini nemotron_deci xlam apertus cohere_command3
cohere_command4 gigachat3 inkling
mistral_v11 kimi_k2 deepseek_v3 deepseek_v3_1 plamo3 harmony
pythonic llama4_pythonic olmo3 lfm2
qwen3_xml qwen3_coder nemotron_v3 granite_thinking step3p5 mimo seed_oss
minimax_m2 dots step3 minicpm5 muse gigachat35 deepseek_v3_2 deepseek_v4 deepseek_v4_1
glm45 glm47 ling3 poolside_v1 spark25 iquest_q1 hy_v3 hy_v4 k2_horizon solar_open2
gemma4 functiongemma minimax_m3 kimi_k3
functionary_v3_1 functionary_v3_2 firefunction_v2 command_r_plus apriel reka
"""
"""The formats that models are served with."""

AGENTS = """\
react react_llamaindex react_json langchain_xml langchain_structured_chat anthropic_legacy
anthropic_invoke codeact smolagents_code smolagents_json gptme_markdown gptme_xml gptme_tool
apply_patch aider_diff aider_whole aider_udiff bolt cherry_tool_use mcp_json openwebui_json reploid0
swe_agent swe_agent_xml swe_agent_json bash_fence openhands_fn autogpt_json dspy_react
continue_tool open_interpreter metagpt_commands semantic_kernel_stepwise sk_plan fenced_json
fenced_tool_call yaml_fence instructor_md_json ts_call void_xml kilo_xml code_assistant_caret
devin_xml dyad_tags zed_edits goose_toolshim
simple_agent simple_agent_bracket reploid roo_xml roo_multi
"""
"""The formats that agents ask for in their prompts."""

VLLM = """\
hermes longcat ernie45 granite granite4 granite-20b-fc llama3_json llama4_json mistral minimax
minimax_m1 internlm jamba hunyuan_a13b phi4_mini_json llama_nemotron_json nemotron_json xlam apertus
cohere_command3 cohere_command4 gigachat3 inkling kimi_k2 deepseek_v3 deepseek_v31 plamo3 openai
pythonic llama4_pythonic olmo3 lfm2 qwen3_xml qwen3_coder granite_thinking step3p5 mimo seed_oss
minimax_m2 dots step3 minicpm5 muse_glimmer gigachat35 deepseek_v32 deepseek_v4 deepseek_v41 glm45
glm47 ling3 poolside_v1 hy_v3 hy_v4 k2_horizon solar_open2 gemma4 functiongemma minimax_m3 kimi_k3
kolibri1
"""
"""The names that vLLM takes for `--tool-call-parser`."""

SGLANG = """\
hermes qwen qwen25 trinity longcat llama3 mistral interns1 apertus2509 cohere_command4 gigachat3
inkling kimi_k2 deepseekv3 deepseekv31 gpt-oss pythonic lfm2 qwen3_coder step3p5 mimo seed_oss
minimax-m2 dots step3 minicpm5 muse gigachat35 deepseekv32 deepseekv4 deepseekv41 glm glm45 glm47
glm5 ling3 poolside_v1 spark25 iquest_q1 hunyuan k2_horizon gemma4 minimax-m3 kimi_k3
"""
"""The names that SGLang takes for `--tool-call-parser`."""

NOT_BUILT = """\
yaml_fence
"""
"""Names whose format is still to be written. This list only shrinks."""

SAME = [
    ("hermes", "qwen25", "granite4", "reka", "qwen"),
    ("qwen3_xml", "qwen3_coder", "nemotron_v3", "granite_thinking", "step3p5", "kolibri1"),
    ("glm45", "glm"),
    ("glm47", "glm5"),
    ("hy_v3", "hunyuan"),
    ("llama3_json", "llama4_json", "llama3"),
    ("internlm2", "interns1", "internlm"),
    ("minimax_m1", "minimax"),
    ("roo_xml", "kilo_xml"),
]
"""Names of one wire."""

MODELS = {
    "NousResearch/Hermes-2-Pro-Llama-3-8B": "hermes",
    "NousResearch/Hermes-3-Llama-3.1-70B": "hermes",
    "Qwen/Qwen2.5-7B-Instruct": "hermes",
    "Qwen/Qwen2.5-Coder-32B-Instruct": "hermes",
    "Qwen/QwQ-32B": "hermes",
    "Qwen/Qwen3-8B": "hermes",
    "Qwen/Qwen3-235B-A22B-Thinking-2507": "hermes",
    "ibm-granite/granite-4.0-h-small": "hermes",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3_xml",
    "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8": "qwen3_xml",
    "Qwen/Qwen3.5-35B-A3B": "qwen3_xml",
    "Qwen/Qwen3.6-27B": "qwen3_xml",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "qwen3_xml",
    "ibm-granite/granite-4.2-8b-thinking": "qwen3_xml",
    "stepfun-ai/Step-3.5-Flash": "qwen3_xml",
    "XiaomiMiMo/MiMo-V2-Flash": "mimo",
    "ByteDance-Seed/Seed-OSS-36B-Instruct": "seed_oss",
    "arcee-ai/Trinity-Mini": "trinity",
    "meituan-longcat/LongCat-Flash-Chat": "longcat",
    "meituan-longcat/LongCat-Flash-Thinking": "longcat",
    "baidu/ERNIE-4.5-21B-A3B-Thinking": "ernie45",
    "ibm-granite/granite-3.0-8b-instruct": "granite",
    "ibm-granite/granite-3.3-8b-instruct": "granite",
    "ibm-granite/granite-20b-functioncalling": "granite_20b_fc",
    "meta-llama/Llama-3.1-8B-Instruct": "llama3_json",
    "meta-llama/Llama-3.3-70B-Instruct": "llama3_json",
    "meta-llama/Llama-3.2-1B-Instruct": "pythonic",
    "Team-ACE/ToolACE-8B": "pythonic",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama4_pythonic",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral_json",
    "mistralai/Mistral-Nemo-Instruct-2407": "mistral_json",
    "mistralai/Mistral-Small-24B-Instruct-2501": "mistral_json",
    "mistralai/Mistral-Small-3.1-24B-Instruct-2503": "mistral_v11",
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": "mistral_v11",
    "mistralai/Magistral-Small-2509": "mistral_v11",
    "mistralai/Devstral-Small-2507": "mistral_v11",
    "mistralai/Ministral-3-8B-Instruct-2512": "mistral_v11",
    "mistralai/Mistral-Large-3-675B-Instruct-2512": "mistral_v11",
    "MiniMaxAI/MiniMax-M1-80k": "minimax_m1",
    "MiniMaxAI/MiniMax-M2": "minimax_m2",
    "MiniMaxAI/MiniMax-M2.5": "minimax_m2",
    "MiniMaxAI/MiniMax-M3": "minimax_m3",
    "internlm/internlm2_5-7b-chat": "internlm2",
    "internlm/internlm3-8b-instruct": "internlm2",
    "internlm/Intern-S1": "internlm2",
    "ai21labs/AI21-Jamba-1.5-Mini": "jamba",
    "ai21labs/AI21-Jamba-Large-1.6": "jamba",
    "tencent/Hunyuan-A13B-Instruct": "hunyuan_a13b",
    "tencent/HY-3": "hy_v3",
    "tencent/HY-4": "hy_v4",
    "microsoft/Phi-4-mini-instruct": "phi4_mini",
    "nvidia/Llama-3.1-Nemotron-Nano-8B-v1": "nemotron_deci",
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5": "nemotron_deci",
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2": "nemotron_deci",
    "Salesforce/Llama-xLAM-2-8b-fc-r": "xlam",
    "Salesforce/xLAM-2-3b-fc-r": "xlam",
    "swiss-ai/Apertus-8B-Instruct-2509": "apertus",
    "CohereLabs/c4ai-command-r7b-12-2024": "cohere_command3",
    "CohereLabs/c4ai-command-a-03-2025": "cohere_command3",
    "CohereLabs/command-a-reasoning-08-2025": "cohere_command3",
    "CohereLabs/command-a-plus-05-2026": "cohere_command4",
    "CohereForAI/c4ai-command-r-plus": "command_r_plus",
    "ai-sage/GigaChat3-10B-A1.8B": "gigachat3",
    "ai-sage/GigaChat3.1-702B-A36B": "gigachat3",
    "ai-sage/GigaChat3.5-10B": "gigachat35",
    "thinkingmachines/Inkling": "inkling",
    "moonshotai/Kimi-K2-Instruct": "kimi_k2",
    "moonshotai/Kimi-K2-Thinking": "kimi_k2",
    "moonshotai/Kimi-K2.5": "kimi_k2",
    "moonshotai/Kimi-K3": "kimi_k3",
    "deepseek-ai/DeepSeek-V3": "deepseek_v3",
    "deepseek-ai/DeepSeek-V3-0324": "deepseek_v3",
    "deepseek-ai/DeepSeek-R1-0528": "deepseek_v3",
    "deepseek-ai/DeepSeek-V3.1": "deepseek_v3_1",
    "deepseek-ai/DeepSeek-V3.1-Terminus": "deepseek_v3_1",
    "deepseek-ai/DeepSeek-V3.2-Exp": "deepseek_v3_1",
    "deepseek-ai/DeepSeek-V3.2": "deepseek_v3_2",
    "deepseek-ai/DeepSeek-V4": "deepseek_v4",
    "deepseek-ai/DeepSeek-V4-Flash": "deepseek_v4",
    "deepseek-ai/DeepSeek-V4.1": "deepseek_v4_1",
    "pfnet/plamo-3-nict-31b-base": "plamo3",
    "openai/gpt-oss-20b": "harmony",
    "openai/gpt-oss-120b": "harmony",
    "allenai/Olmo-3-7B-Instruct": "olmo3",
    "LiquidAI/LFM2-1.2B": "lfm2",
    "LiquidAI/LFM2.5-1.2B-Instruct": "lfm2",
    "rednote-hilab/dots.llm2.inst": "dots",
    "stepfun-ai/step3": "step3",
    "openbmb/MiniCPM5-8B": "minicpm5",
    "zai-org/GLM-4.5": "glm45",
    "zai-org/GLM-4.5-Air": "glm45",
    "zai-org/GLM-4.6": "glm45",
    "zai-org/GLM-4.7": "glm47",
    "zai-org/GLM-5": "glm47",
    "inclusionAI/Ling-3-flash": "ling3",
    "inclusionAI/Ring-3-mini": "ling3",
    "poolside/Laguna-XS": "poolside_v1",
    "IQuestLab/IQuest-Q1": "iquest_q1",
    "IFM/K2-Horizon": "k2_horizon",
    "upstage/Solar-Open2-100B": "solar_open2",
    "google/gemma-4-27b-it": "gemma4",
    "google/functiongemma-270m-it": "functiongemma",
    "meetkai/functionary-small-v3.1": "functionary_v3_1",
    "meetkai/functionary-medium-v3.2": "functionary_v3_2",
    "fireworks-ai/llama-3-firefunction-v2": "firefunction_v2",
    "ServiceNow-AI/Apriel-1.5-15b-Thinker": "apriel",
    "RekaAI/reka-flash-3": "hermes",
}
"""Models of the catalogue, and a name of the format that each speaks."""
