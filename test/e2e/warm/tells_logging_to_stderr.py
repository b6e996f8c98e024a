import logging
logging.warning("once")
logging.getLogger("other").error("twice")
