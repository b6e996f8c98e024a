# SPDX-License-Identifier: Apache-2.0
"""Imports the fixtures of user.py and small_disk.py for all files of this folder."""

pytest_plugins = ["user", "small_disk"]
