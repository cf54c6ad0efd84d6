//! Where handicap stones go.

use super::point::{Geometry, Point};

/// The most stones that have fixed places on a board of this size, by the table of the Go text protocol.
pub fn most_fixed(geometry: Geometry) -> usize {
    match geometry.size() {
        0..7 => 0,
        7 => 4,
        size if size % 2 == 0 => 4,
        _ => 9,
    }
}

/// The fixed places of `stones` handicap stones; `None` if the board has no places for so many (or for one).
pub fn fixed(geometry: Geometry, stones: usize) -> Option<Vec<Point>> {
    if stones < 2 || stones > most_fixed(geometry) {
        return None;
    }
    let low = if geometry.size() >= 13 { 3 } else { 2 };
    let high = geometry.size() - 1 - low;
    let middle = geometry.size() / 2;
    let mut places = vec![(low, low), (high, high), (high, low), (low, high)];
    places.truncate(stones);
    if stones >= 6 {
        places.extend([(low, middle), (high, middle)]);
    }
    if stones >= 8 {
        places.extend([(middle, low), (middle, high)]);
    }
    if stones % 2 == 1 && stones >= 5 {
        places.push((middle, middle));
    }
    Some(places.into_iter().filter_map(|(column, row)| geometry.point(column, row)).collect())
}

/// Places for as many of `stones` stones as sensibly fit: the fixed ones first, then points far from those taken.
pub fn free(geometry: Geometry, stones: usize) -> Vec<Point> {
    // One point at least must stay empty, or black has no liberty.
    let stones = stones.min(geometry.area() - 1);
    let mut chosen = (2..=stones).rev().find_map(|n| fixed(geometry, n)).unwrap_or_default();
    while chosen.len() < stones {
        let nearest = |p: Point| chosen.iter().map(|&q| geometry.distance(p, q)).min().unwrap_or(0);
        let worth = |p: Point| (nearest(p), geometry.line(p).min(4));
        match geometry.points().filter(|p| !chosen.contains(p)).max_by_key(|&p| worth(p)) {
            Some(p) => chosen.push(p),
            None => break,
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Colour;
    use crate::go::board::Board;
    use crate::go::notation::Vertex;

    fn names(size: usize, stones: usize) -> String {
        let g = Geometry::new(size).unwrap();
        let names = fixed(g, stones).unwrap().into_iter().map(|p| Vertex(g, p).to_string());
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn fixed_places_are_those_of_the_protocol() {
        assert_eq!(names(19, 2), "D4 Q16");
        assert_eq!(names(19, 3), "D4 Q16 Q4");
        assert_eq!(names(19, 5), "D4 Q16 Q4 D16 K10");
        assert_eq!(names(19, 6), "D4 Q16 Q4 D16 D10 Q10");
        assert_eq!(names(19, 9), "D4 Q16 Q4 D16 D10 Q10 K4 K16 K10");
        assert_eq!(names(9, 4), "C3 G7 G3 C7");
        assert_eq!(names(13, 2), "D4 K10");
        let g = |size| Geometry::new(size).unwrap();
        assert_eq!(fixed(g(6), 2), None);
        assert_eq!(fixed(g(8), 5), None);
        assert_eq!(fixed(g(19), 10), None);
        assert_eq!(fixed(g(19), 1), None);
    }

    #[test]
    fn free_places_are_always_a_legal_position() {
        for size in 2..=25 {
            let g = Geometry::new(size).unwrap();
            for stones in [0, 1, 2, 3, 5, 9, 12, 700] {
                let places = free(g, stones);
                assert_eq!(places.len(), stones.min(g.area() - 1));
                assert!(Board::with_stones(g, places.into_iter().map(|p| (p, Colour::Black))).is_ok());
            }
        }
    }
}
