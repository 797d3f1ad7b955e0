"""State has one owner: nobody assigns the fields of another object."""

import ast
from collections.abc import Iterator

from tests.house.checkout import PACKAGE, modules, nodes_of, tree_of

ELSEWHERE = {
    # A frozen string gets its field where it is made, for it has no `__init__`.
    "writing/prompts/prompt.py: prompt.stop",
    # Lark's own object, which is made without options.
    "reference/reference.py: rule.options",
    # Public: the caller's stream is told why its server stopped.
    "engine/running/ended.py: events.finish_reason",
    # The object of another project, which has no method for it.
    "proxy/litellm.py: new._hidden_params",
}

ADAPTERS = ("agents", "servers")
"""Packages that fill the objects of other projects, which have no methods for it."""


def _fields(tree: ast.AST) -> Iterator[str]:
    """Yields what is assigned to by its name, as in `a.b = 1`, but for `self` and `cls`."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets):
                pass
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                targets = [target]
            case ast.For(target=target) | ast.With(items=[ast.withitem(optional_vars=target)]):
                targets = [target] if target is not None else []
            case _:
                continue
        for target in targets:
            for each in ast.walk(target):
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                    # `__cause__` and its kin are Python's own way to set what they set.
                    if each.attr.startswith("__"):
                        continue
                    if not isinstance(each.value, ast.Name) or each.value.id not in ("self", "cls"):
                        yield ast.unparse(each)


def test_nobody_assigns_the_fields_of_another_object() -> None:
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}: {field}"
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] not in ADAPTERS
        for field in _fields(tree_of(path))
    }
    assert found - ELSEWHERE == set(), "let a method of the object set its field"
    assert ELSEWHERE - found == set(), "take these off the list"


def test_no_method_replaces_itself() -> None:
    """A reader can follow a call by its name: no instance gets a function under a method's name."""
    replaced = set()
    for path in modules():
        for made in nodes_of(path):
            if not isinstance(made, ast.ClassDef):
                continue
            methods = {each.name for each in made.body if isinstance(each, ast.FunctionDef)}
            stored = {
                each.attr
                for each in ast.walk(made)
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
            }
            setters = {
                each.name
                for each in made.body
                if isinstance(each, ast.FunctionDef) and each.decorator_list
            }
            replaced |= {f"{made.name}.{name}" for name in (methods - setters) & stored}
    assert not replaced, f"keep the function in a field with another name: {replaced}"
