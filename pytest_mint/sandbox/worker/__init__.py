"""What runs inside the sandbox: a supervisor and the processes it forks.

These modules travel as text to a bare ``python3 -s -S`` in the sandbox. They use the
standard library only and the syntax of Python 3.8, and import nothing else of this
package.
"""
