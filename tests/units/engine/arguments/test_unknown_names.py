"""Names that a type does not know are refused at any depth, unless its author decides otherwise."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pydantic
import pytest
import typing_extensions
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Json,
    RootModel,
    Tag,
    WrapValidator,
    model_validator,
    with_config,
)
from pydantic.experimental.pipeline import validate_as

from tests.units.engine.driving import Driver, both, call, without_addresses
from toolgrammar import ToolCall
from toolgrammar.engine import Engine, Tool

GOOD = {"street": "Main St", "city": "Rome"}
BAD = {"street": "Main St", "ciy": "Rome"}
REFUSED = "bad_args:x.ciy: unexpected argument"


class Addr(BaseModel):
    """A model with a default, which a misspelt name would leave in place."""

    street: str
    city: str = "Oslo"


@dataclasses.dataclass
class Plain:
    """The same as a dataclass."""

    street: str
    city: str = "Oslo"


@pydantic.dataclasses.dataclass
class Checked:
    """The same as a dataclass of pydantic."""

    street: str
    city: str = "Oslo"


class Typed(TypedDict):
    """The same as a dict of the standard library."""

    street: str
    city: NotRequired[str]


class Extended(typing_extensions.TypedDict):
    """The same as a dict that pydantic reads in all versions of Python."""

    street: str
    city: NotRequired[str]


class Named(NamedTuple):
    """The same as a tuple with names."""

    street: str
    city: str = "Oslo"


class Node(BaseModel):
    """A model that holds its like."""

    street: str = ""
    following: Node | None = None
    below: list[Node] = []


class Cat(BaseModel):
    """A member of a union with tags."""

    kind: Literal["cat"]
    street: str = ""


class Dog(BaseModel):
    """Another one."""

    kind: Literal["dog"]
    street: str = ""


class Town(BaseModel):
    """What an address is not."""

    town: str = ""


def check(hint: Any, given: Any, wanted: Any) -> None:
    """Calls a tool with one parameter `x`; `wanted` is what it returns, or the error."""

    def tool(x: Any) -> Any:
        return x

    tool.__annotations__["x"] = hint
    result = Engine([tool]).run_sync(call("tool", x=given))
    assert (result.value if result.ok else str(result.error)) == wanted


@pytest.mark.parametrize(
    "hint",
    [
        *(Addr, Plain, Checked, Typed, Extended, Named, Node, Addr | None, Addr | Plain),
        Annotated[Addr, AfterValidator(lambda address: address)],
    ],
    ids=without_addresses,
)
def test_unknown_name_is_refused_in_every_kind_of_type(hint: Any) -> None:
    check(hint, BAD, REFUSED)


@pytest.mark.parametrize(
    "hint",
    [
        *(list[Addr], Sequence[Addr], Iterable[Plain], set[Named]),
        *(tuple[Addr, ...], tuple[Addr], RootModel[list[Addr]]),
        Annotated[Sequence[Addr], Field(max_length=3)],
    ],
    ids=without_addresses,
)
def test_unknown_name_is_refused_in_lists(hint: Any) -> None:
    check(hint, [GOOD], [GOOD])
    check(hint, [BAD], "bad_args:x.0.ciy: unexpected argument")


@pytest.mark.parametrize("hint", [dict[str, Addr], Mapping[str, Typed]], ids=without_addresses)
def test_place_of_an_unknown_name_shows_no_other_key_that_the_model_made_up(hint: Any) -> None:
    check(hint, {"hunter2": BAD}, "bad_args:x.*.ciy: unexpected argument")


def test_unknown_name_is_refused_in_unions_and_in_types_that_hold_themselves() -> None:
    tagged = Annotated[Cat | Dog, Field(discriminator="kind")]
    check(tagged, {"kind": "dog", "street": "Main St"}, {"kind": "dog", "street": "Main St"})
    check(tagged, {"kind": "dog", "ciy": "Rome"}, REFUSED)
    # Town has a default for all it knows, and took anything.
    check(Town | Addr, GOOD, GOOD)
    check(Annotated[Town | Addr, Field(union_mode="left_to_right")], GOOD, GOOD)
    check(Town | Addr, BAD, "bad_args:x.street: unexpected argument; x.ciy: unexpected argument")
    check(Json[Addr], '{"street": "a", "ciy": "Rome"}', REFUSED)
    nested = {"following": {"below": [{}, {"following": {"ciy": "Rome"}}]}}
    check(Node, nested, "bad_args:x.following.below.1.following.ciy: unexpected argument")


def test_unknown_name_is_told_beside_the_other_problems() -> None:
    check(Addr, {"stret": "a"}, "bad_args:x.street: Field required; x.stret: unexpected argument")


@both
def test_unknown_name_is_refused_in_a_model_as_schema(driver: Driver) -> None:
    class Mail(BaseModel):
        to: str
        addr: Addr | None = None

    engine = Engine([Tool(lambda mail: mail, schema=Mail, name="send")])

    def said(**arguments: Any) -> str:
        return str(driver.run(engine, ToolCall("send", arguments)).error or "")

    assert said(to="x", addr={"street": "a"}) == ""
    assert said(to="x", adr={"street": "a"}) == "bad_args:adr: unexpected argument"
    assert said(to="x", addr=BAD) == "bad_args:addr.ciy: unexpected argument"


# ------------------------------------------------------------------------ what the author decides


class Allowing(BaseModel):
    model_config = ConfigDict(extra="allow")
    street: str
    inner: Addr | None = None


class Ignoring(BaseModel):
    model_config = ConfigDict(extra="ignore")
    street: str


class Inheriting(Ignoring):
    pass


@with_config(ConfigDict(extra="allow"))
class AllowingDict(TypedDict):
    street: str


@with_config(ConfigDict(extra="ignore"))
class IgnoringDict(TypedDict):
    street: str


@with_config(ConfigDict(extra="ignore"))
class IgnoringExtended(typing_extensions.TypedDict):
    street: str


@pydantic.dataclasses.dataclass(config=ConfigDict(extra="ignore"))
class IgnoringDataclass:
    street: str


class Open(typing_extensions.TypedDict, extra_items=str):  # type: ignore[call-arg]
    street: str


@pytest.mark.parametrize("hint", [Allowing, AllowingDict, Open], ids=without_addresses)
def test_type_that_allows_unknown_names_keeps_them(hint: Any) -> None:
    more = {"inner": None} if hint is Allowing else {}
    check(hint, BAD, {**BAD, **more})


def test_type_that_allows_unknown_names_decides_for_itself_alone() -> None:
    given = {"street": "a", "more": 1, "inner": BAD}
    check(Allowing, given, "bad_args:x.inner.ciy: unexpected argument")


@pytest.mark.parametrize(
    "hint",
    [Ignoring, Inheriting, IgnoringDict, IgnoringExtended, IgnoringDataclass],
    ids=without_addresses,
)
def test_type_that_ignores_unknown_names_drops_them(hint: Any) -> None:
    check(hint, BAD, {"street": "Main St"})


class Aliased(BaseModel):
    """Each field under several names."""

    model_config = ConfigDict(populate_by_name=True, alias_generator=str.upper)
    city: str
    code: str = Field("", validation_alias=AliasChoices("zip", "plz"))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"CITY": "Oslo"}, {"city": "Oslo", "code": ""}),
        ({"city": "Oslo", "plz": "1"}, {"city": "Oslo", "code": "1"}),
        ({"CITY": "Oslo", "zip": "1"}, {"city": "Oslo", "code": "1"}),
        ({"CITY": "Oslo", "code": "1"}, {"city": "Oslo", "code": "1"}),
        ({"CITY": "Oslo", "zap": "1"}, "bad_args:x.zap: unexpected argument"),
        # One of the two values would be lost.
        ({"city": "Oslo", "zip": "1", "plz": "2"}, "bad_args:x.plz: unexpected argument"),
    ],
)
def test_every_name_of_a_field_is_known(given: Any, wanted: Any) -> None:
    check(Aliased, given, wanted)


class Pathed(BaseModel):
    to: str = Field("nobody", validation_alias=AliasChoices("to", AliasPath("names", 0)))


@pytest.mark.parametrize(
    ("given", "to"),
    [
        ({"names": ["a", "b"]}, "a"),
        ({"names": []}, "nobody"),
        ({"names": [], "to": "a"}, "a"),
        ({"more": 1}, "nobody"),
    ],
)
def test_model_that_reads_by_a_path_takes_any_name(given: Any, to: str) -> None:
    check(Pathed, given, {"to": to})


# ----------------------------------------------------------------------- what its code sees first


def moved(value: dict[str, Any]) -> dict[str, Any]:
    """Reads another name for the street, and leaves it where it is."""
    return {"street": value.get("road", ""), **value}


class Renaming(BaseModel):
    street: str

    @model_validator(mode="before")
    @classmethod
    def rename(cls, value: Any) -> Any:
        return moved(value)


class Wrapping(BaseModel):
    street: str

    @model_validator(mode="wrap")
    @classmethod
    def rename(cls, value: Any, handler: Any) -> Any:
        return handler(moved(value))


@pydantic.dataclasses.dataclass
class RenamingDataclass:
    street: str

    @model_validator(mode="before")
    @classmethod
    def rename(cls, value: Any) -> Any:
        return moved(value)


class Starting(BaseModel):
    street: str

    def __init__(self, **value: Any) -> None:
        super().__init__(**moved(value))


with warnings.catch_warnings():
    warnings.simplefilter("ignore", pydantic.PydanticDeprecatedSince20)

    class Older(BaseModel):
        street: str

        @pydantic.root_validator(pre=True)
        def rename(cls, value: Any) -> Any:  # noqa: N805 - as the older decorator wants it
            return moved(value)


class Street(BaseModel):
    street: str


@pytest.mark.parametrize(
    "hint",
    [
        *(Renaming, Wrapping, RenamingDataclass, Starting, Older),
        Annotated[Street, BeforeValidator(moved)],
        Annotated[Street, WrapValidator(lambda value, handler: handler(moved(value)))],
        Annotated[Any, validate_as(dict).transform(moved).validate_as(Street)],
    ],
    ids=without_addresses,
)
def test_validator_that_sees_the_value_first_may_read_any_name(hint: Any) -> None:
    check(hint, {"road": "Main St"}, {"street": "Main St"})


def test_types_with_such_a_validator_may_occur_several_times_and_in_themselves() -> None:
    class Way(BaseModel):
        first: Renaming
        second: Renaming
        last: Addr
        more: list[Way] = []

        @model_validator(mode="before")
        @classmethod
        def look(cls, value: Any) -> Any:
            return value

    street = {"street": "Main St"}
    way = {"first": {"road": "Main St"}, "second": street, "last": BAD}
    known = {"first": street, "second": street, "last": {**street, "city": "Oslo"}}
    check(Way, {**way, "more": [way]}, {**known, "more": [{**known, "more": []}]})

    class Pair(BaseModel):
        first: Renaming
        second: Renaming
        last: Addr

    check(Pair, {**way, "last": GOOD}, {**known, "last": GOOD})
    check(Pair, way, "bad_args:x.last.ciy: unexpected argument")


def test_function_that_chooses_a_member_may_read_any_name() -> None:
    members = Annotated[Street, Tag("a")] | Annotated[Town, Tag("b")]
    hint = Annotated[members, Discriminator(lambda value: value.get("kind"))]
    check(hint, {"kind": "a", "street": "Main St"}, {"street": "Main St"})


def test_same_type_is_closed_where_no_code_sees_it_first() -> None:
    """Pydantic has one schema of a type for all its places."""

    class Both(BaseModel):
        free: Annotated[list[Node], BeforeValidator(lambda value: value)]
        closed: Node

    node: dict[str, Any] = {"street": "", "following": None, "below": []}
    strange = {"below": [{"ciy": "Rome"}]}
    check(
        Both,
        {"free": [strange], "closed": {}},
        {"free": [{**node, "below": [node]}], "closed": node},
    )
    check(
        Both,
        {"free": [strange], "closed": strange},
        "bad_args:x.closed.below.0.ciy: unexpected argument",
    )
