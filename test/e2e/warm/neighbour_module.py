WORD = "beside the program"
