# SPDX-License-Identifier: Apache-2.0
import threading
main = threading.main_thread()
def work():
    main.join()
    print("waited for")
threading.Thread(target=work).start()
