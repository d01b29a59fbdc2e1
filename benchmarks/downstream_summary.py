def write_summary(folder):
    return "summary to come"
