"""Streams a scripted answer through the parser and runs each call as soon as it ends."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from toolgrammar import CallEnd, Parser, Problem, TextDelta


def get_weather(place: str, days: int = 1) -> str:
    """Forecast for a place."""
    return f"{place}: rain, then sun, for {days} days"


def get_tide(port: str, unit: str = "m") -> str:
    """Next high water in a port."""
    return f"{port}: 1.4 {unit} at 14:20"


TOOLS = {"get_weather": get_weather, "get_tide": get_tide}


def chunks(text: str, size: int = 5) -> Iterator[str]:
    """Cuts a text as a model would stream it."""
    return (text[start : start + size] for start in range(0, len(text), size))


def show(events: Iterable[object]) -> None:
    """Prints text as it comes and runs the calls that are safe to run."""
    for event in events:
        match event:
            case TextDelta(text):
                print(text, end="", flush=True)
            case CallEnd(_, call) if call.executable and call.name in TOOLS:
                print(f"[{call.name}] {TOOLS[call.name](**call.arguments)}")
            case CallEnd(_, call):
                print(f"[{call.name}] not run: {call.status}")
            case Problem(diagnostic):
                print(f"! {diagnostic.message}")


parser = Parser(format="hermes", tools=list(TOOLS.values()))
for chunk in chunks(Path(__file__).with_name("hermes_weather.txt").read_text(encoding="utf-8")):
    show(parser.feed(chunk))
show(parser.close())
