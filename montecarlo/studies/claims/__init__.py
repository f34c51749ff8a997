"""Published figures under test: the files of ``data/claims`` and the computations that answer them.

A claim is a TOML file (`schema`); it names a computation, a function found here (`registry`). To
add one: a TOML file, and a module beside this one whose function is decorated with
``@computation("name")``. Verdicts are made in one place (`judgement`), the same for all.
"""
