# SPDX-License-Identifier: Apache-2.0
"""Python keeps a SIGINT that is ignored, as in a shell's background: tests that send one would wait for ever."""
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
