//! Finding the best move: exact endgame, midgame, parallel search, levels.
