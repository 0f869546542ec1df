"""The example of the package's own page, in whatever Python runs this file."""

import sys

import commonweal as cw

b = cw.ModelBuilder({"alice": "2/3", "bob": "1/3"})
b.choice("old", "wait", reward=3, to="old")
b.choice("old", "rebuild", reward=-1, to="new")
b.choice("new", "earn", reward=6, to="new")
solution = b.build().solve()
assert str(solution.welfare.exact) == "127/9", solution.welfare
assert solution.check().accepted
print(f"the same wheel answers in Python {sys.version_info[0]}.{sys.version_info[1]}")
