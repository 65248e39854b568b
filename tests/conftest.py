"""What all tests share: no bound on time, for a machine may be busy."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
