"""The commands of ``pytest-mint``, one module each, loaded when one is called.

Each has a function ``run(options)`` that returns the exit code.
"""
