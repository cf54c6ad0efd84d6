//! What a position is worth: pattern weights and their incremental indices.
