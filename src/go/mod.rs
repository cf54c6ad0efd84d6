//! Go: rules, playouts, tree search.
