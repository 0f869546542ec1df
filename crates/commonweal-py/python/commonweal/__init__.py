"""Welfare-optimal strategies for several principals who are not equally patient.

One agent acts for several principals, each with rewards and a time preference of their own. `commonweal` finds the strategy of
greatest welfare, the weighted sum of their payoffs, and proves it: in fractions, or between proven bounds for a large model.

>>> import commonweal as cw
>>> hotel = cw.Model.from_yaml('''
... principals: {alice: 2/3, bob: 1/3}
... states:
...   s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}
...   s1: {b: {reward: 6, to: s1}}
... ''')
>>> solution = hotel.solve()
>>> solution.welfare
Value(127/9 ≈ 14.111111)
>>> [solution.strategy.action("s0", step) for step in range(4)]
['a', 'a', 'b', 'b']
"""

from . import plots as plots
from ._core import __version__
from .builder import ModelBuilder
from .errors import CertificateError, CommonwealError, ModelError, QuestionError, StrategyError, UndecidedError
from .model import Model, check, load
from .naming import Principal
from .numbers import Number, Value
from .policy import Episode, StrategyPolicy
from .preferences import Preference
from .results import (
    Check,
    Estimate,
    Evaluation,
    Fair,
    Front,
    PositionalSearch,
    Search,
    Simulation,
    StationarySearch,
    StrategyMap,
    Sweep,
)
from .solution import Solution, StateSolution
from .sources import from_gymnasium, from_mo_gymnasium, from_quantecon, from_stormpy, to_stormpy
from .strategy import CountingStrategy, Decision, Lottery, Share, Stage, StationaryStrategy, Strategy

__all__ = [
    "CertificateError",
    "Check",
    "CommonwealError",
    "CountingStrategy",
    "Decision",
    "Episode",
    "Estimate",
    "Evaluation",
    "Fair",
    "Front",
    "Lottery",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Number",
    "PositionalSearch",
    "Preference",
    "Principal",
    "QuestionError",
    "Search",
    "Share",
    "Simulation",
    "Solution",
    "Stage",
    "StateSolution",
    "StationarySearch",
    "StationaryStrategy",
    "Strategy",
    "StrategyError",
    "StrategyMap",
    "StrategyPolicy",
    "Sweep",
    "UndecidedError",
    "Value",
    "__version__",
    "check",
    "from_gymnasium",
    "from_mo_gymnasium",
    "from_quantecon",
    "from_stormpy",
    "load",
    "to_stormpy",
]
