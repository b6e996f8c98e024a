# SPDX-License-Identifier: Apache-2.0
import signal
print([(number.name, str(signal.getsignal(number))[:40]) for number in sorted(signal.valid_signals()) if isinstance(number, signal.Signals)])
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getitimer(signal.ITIMER_REAL), signal.set_wakeup_fd(-1))
