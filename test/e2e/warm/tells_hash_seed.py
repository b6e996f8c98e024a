print(hash("a word") if __import__("os").environ.get("PYTHONHASHSEED") else "random")
