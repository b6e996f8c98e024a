import os
print(os.getcwd(), os.listdir("."))
