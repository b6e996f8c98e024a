# SPDX-License-Identifier: Apache-2.0
import logging
logging.warning("once")
logging.getLogger("other").error("twice")
