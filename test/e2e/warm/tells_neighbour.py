import neighbour_module
print(neighbour_module.WORD, neighbour_module.__file__)
