"""Read tables from files, data frames and streams; split rows; decide what fits in memory."""
