raise SystemExit("the reason")
