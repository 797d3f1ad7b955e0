"""State has one owner, and no class stands on a tower of others: where that is reached, it stays."""

import ast

from tests.house.checkout import ROOT

PACKAGE = ROOT / "toolgrammar"
OWNED = ("core/payloads", "recovery")
"""Folders in which nobody assigns the fields of another object."""
DEEPEST = 3
"""Classes of the package that stand on each other."""


def assigned(source: str) -> list[str]:
    """Returns the fields of other objects that a module assigns."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
            continue
        owner = node.value
        if not (isinstance(owner, ast.Name) and owner.id in ("self", "cls", "made")):
            found.append(ast.unparse(node))
    return found


def chains(sources: list[str]) -> list[list[str]]:
    """Returns each class with the classes of these modules that it stands on."""
    bases = {
        node.name: [base.id for base in node.bases if isinstance(base, ast.Name)]
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
    }

    def chain(name: str) -> list[str]:
        below = [chain(base) for base in bases[name] if base in bases and base != name]
        return [name, *max(below, key=len, default=[])]

    return [chain(name) for name in bases]


def modules(*folders: str) -> dict[str, str]:
    paths = [path for each in folders for path in (PACKAGE / each).rglob("*.py")]
    return {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in paths}


def test_nobody_assigns_the_fields_of_another_object() -> None:
    found = {name: fields for name, text in modules(*OWNED).items() if (fields := assigned(text))}
    assert not found, f"let a method of the object set its field: {found}"


def test_classes_stand_on_few_others() -> None:
    deep = [found for found in chains(list(modules(*OWNED).values())) if len(found) > DEEPEST]
    assert not deep, f"hold an object in place of the class below: {deep}"


def test_what_is_wrong_is_seen() -> None:
    assert assigned("def f(a, self):\n    a.b = self.c = 1\n    self.d += a.e") == ["a.b"]
    tower = "class A: ...\nclass B(A): ...\nclass C(B): ...\nclass D(C): ..."
    assert max(map(len, chains([tower]))) == 4
