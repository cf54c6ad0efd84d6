//! The opening book: store, look-up, learning, maintenance, formats.
