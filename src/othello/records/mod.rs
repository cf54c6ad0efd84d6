//! Games and positions in files: GGF, SGF, OBF, WTHOR, Egaroucid records.
