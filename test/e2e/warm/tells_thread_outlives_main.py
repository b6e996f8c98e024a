import threading, time
def work():
    time.sleep(0.05)
    print("waited for")
threading.Thread(target=work).start()
