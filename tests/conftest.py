"""Settings of the whole test run."""

import os

from hypothesis import HealthCheck, settings

# `default` draws the same examples every time; `deep` is for an evening: HYPOTHESIS_PROFILE=deep.
settings.register_profile(
    "default",
    derandomize=True,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
