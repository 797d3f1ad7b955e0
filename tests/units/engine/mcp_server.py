"""The MCP server for the tests of `McpTools`: of its own process, over standard input and output, or
of the process of the tests.
"""

import os
from pathlib import Path
from typing import Any

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

NUMBERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
ANY: dict[str, Any] = {"type": "object"}
TOOLS = [
    Tool(name="add", description="Adds.", input_schema={**NUMBERS, "required": ["a", "b"]}),
    Tool(name="echo", input_schema=ANY, annotations=ToolAnnotations(read_only_hint=True)),
    Tool(name="object", input_schema=ANY),
    Tool(name="texts", input_schema=ANY),
    Tool(name="mixed", input_schema=ANY),
    Tool(name="nothing", input_schema=ANY),
    Tool(name="fail", input_schema=ANY),
    Tool(name="fail_mutely", input_schema=ANY),
    Tool(name="protocol_error", input_schema=ANY),
    Tool(name="hang", input_schema=ANY),
]
PAGE = 4


async def list_tools(
    _: ServerRequestContext[Any], params: PaginatedRequestParams | None
) -> ListToolsResult:
    start = int(params.cursor) if params is not None and params.cursor else 0
    end = start + PAGE
    return ListToolsResult(
        tools=TOOLS[start:end], next_cursor=str(end) if end < len(TOOLS) else None
    )


def texts(*lines: str, failed: bool = False) -> CallToolResult:
    content = [TextContent(type="text", text=line) for line in lines]
    return CallToolResult(content=[*content], is_error=failed)


async def call_tool(_: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
    arguments = params.arguments or {}
    match params.name:
        case "add":
            total = arguments["a"] + arguments["b"]
            return CallToolResult(content=[], structured_content={"result": total})
        case "echo":
            return CallToolResult(content=[], structured_content={"given": arguments})
        case "object":
            return CallToolResult(content=[], structured_content={"result": 1, "more": [None]})
        case "texts":
            return texts("first", "second ü")
        case "mixed":
            image = ImageContent(type="image", data="AAAA", mime_type="image/png")
            text = TextContent(type="text", text="a")
            return CallToolResult(content=[text, text, image, text])
        case "nothing":
            return texts()
        case "fail":
            return texts("the disk is full", "token=sk-abcdefghijklmnop", failed=True)
        case "fail_mutely":
            return texts(failed=True)
        case "hang":
            write(arguments["started"])
            try:
                await anyio.sleep(3600)
            finally:
                write(arguments["cancelled"])
            return texts()
        case _:
            raise ValueError("no such thing")


def write(path: str) -> None:
    """Makes a file appear at once and whole: it holds the id of this process."""
    unfinished = Path(path + ".part")
    unfinished.write_text(str(os.getpid()), encoding="utf-8")
    unfinished.replace(path)


def new_server() -> Server[Any]:
    return Server("test", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve() -> None:
    server = new_server()
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
