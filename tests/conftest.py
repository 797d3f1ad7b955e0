"""Settings of the whole test run."""

import os

from hypothesis import HealthCheck, settings

from toolgrammar.testing.depth import at_depth

# `default` draws the same examples every time; `deep` is for an evening: HYPOTHESIS_PROFILE=deep.
settings.register_profile(
    "default",
    derandomize=True,
    deadline=None,
    max_examples=at_depth(few=5, usual=30, every=30),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
