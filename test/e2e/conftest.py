# SPDX-License-Identifier: Apache-2.0
"""Imports the fixtures of user.py, small_disk.py and terminals.py for all files of this folder."""

pytest_plugins = ["user", "small_disk", "terminals"]
