# SPDX-License-Identifier: Apache-2.0
"""What every file here uses: the fixtures of user.py and small_disk.py."""

pytest_plugins = ["user", "small_disk"]
