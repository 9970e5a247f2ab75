return { name = "x", sm = { count = 1 } }
