# SPDX-License-Identifier: Apache-2.0
import os, threading
print(threading.active_count(), threading.main_thread() is threading.current_thread(), threading.main_thread().ident == threading.get_ident())
print(len(os.listdir("/proc/self/task")), threading.get_native_id() == os.getpid())
def work():
    print("in a thread")
worker = threading.Thread(target=work)
worker.start()
worker.join()
