//! What can be counted about a move.

use crate::{
    base::Colour,
    othello::{
        BitBoard, Board, Move, Position, Square,
        eval::Weights,
        human::features::{neighbours, openness},
        search,
    },
};

/// A number before and after the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Change {
    pub before: u32,
    pub after: u32,
}

/// A number of both sides: of who moves, and of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Both {
    pub own: Change,
    pub other: Change,
}

/// What a move does to the board.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveFacts {
    pub square: Square,
    /// Discs that it turns.
    pub flips: u32,
    /// Empty squares around them (kaihoudo).
    pub openness: u32,
    /// Legal moves.
    pub mobility: Both,
    /// Discs beside an empty square.
    pub frontier: Both,
    pub stable: Both,
    pub takes_corner: bool,
    /// Corners that the other side can take now and could not before.
    pub gives_corners: BitBoard,
    /// Squares of the edge between two own discs where the other side can wedge in now and could not before.
    pub gives_wedges: BitBoard,
    /// Diagonally beside an empty corner, or beside it on the edge.
    pub x_square: bool,
    pub c_square: bool,
    /// Empty squares that hang together with this one, itself included.
    pub region: u32,
    /// Regions with an odd number of empty squares before the move.
    pub odd_regions: u32,
    /// The other side has to pass.
    pub forces_pass: bool,
    /// The other side can turn the last discs of who moved.
    pub wipe_out: bool,
}

/// The regions of empty squares that hang together, corners touching included.
fn region_of(square: Square, empties: u64) -> u64 {
    let mut region = square.bit();
    loop {
        let larger = (region | neighbours(region)) & empties;
        if larger == region {
            return region;
        }
        region = larger;
    }
}

fn odd_regions(mut empties: u64) -> u32 {
    let mut odd = 0;
    while empties != 0 {
        let region = region_of(Square::wrapping(empties.trailing_zeros()), empties);
        odd += region.count_ones() & 1;
        empties &= !region;
    }
    odd
}

/// Empty squares of the edge between two discs of the opponent's on which the side to move may play.
fn wedges(board: Board) -> u64 {
    const ROWS: u64 = 0xFF00_0000_0000_00FF;
    const COLUMNS: u64 = 0x8181_8181_8181_8181;
    let theirs = board.opponent;
    let between = |discs: u64, step: u32, edge: u64| (discs << step) & (discs >> step) & edge;
    let along_rows = between(theirs & ROWS, 1, ROWS & !COLUMNS);
    let along_columns = between(theirs & COLUMNS, 8, COLUMNS & !ROWS);
    (along_rows | along_columns) & board.moves().0
}

impl MoveFacts {
    /// `None` for an illegal move.
    pub fn new(board: Board, square: Square) -> Option<MoveFacts> {
        let after = board.play(square)?;
        let flips = board.flips(square);
        // Seen by who moved.
        let own = after.pass();
        let moves = |board: Board| board.moves().count();
        let frontier = |discs: u64, board: Board| (neighbours(board.empties()) & discs).count_ones();
        let stable = |board: Board, discs: u64| {
            (search::stable_discs(Position { board, side: Colour::Black }).0 & discs).count_ones()
        };
        let both = |count: &dyn Fn(Board) -> u32| Both {
            own: Change { before: count(board), after: count(own) },
            other: Change { before: count(board.pass()), after: count(after) },
        };
        let beside = |corner: Square, column: u8, row: u8| {
            let (c, r) = (corner.column().abs_diff(square.column()), corner.row().abs_diff(square.row()));
            board.empties() & corner.bit() != 0 && (c, r) == (column, row)
        };
        let near = |column, row| BitBoard::CORNERS.into_iter().any(|corner| beside(corner, column, row));
        let wiped = |reply: Square| after.play(reply).is_some_and(|board| board.player == 0);
        Some(MoveFacts {
            square,
            flips: flips.count(),
            openness: openness(board, square, flips),
            mobility: both(&moves),
            frontier: both(&|board| frontier(board.player, board)),
            stable: both(&|board| stable(board, board.player)),
            takes_corner: BitBoard::CORNERS.contains(square),
            gives_wedges: BitBoard(wedges(after) & !wedges(board.pass())),
            gives_corners: after.moves() & BitBoard::CORNERS & !board.pass().moves(),
            x_square: near(1, 1),
            c_square: near(0, 1) || near(1, 0),
            region: region_of(square, board.empties()).count_ones(),
            odd_regions: odd_regions(board.empties()),
            forces_pass: !after.can_move() && own.can_move(),
            wipe_out: after.moves().into_iter().any(wiped),
        })
    }
}

/// What a search says of a move.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// For who moves, in discs.
    pub value: f64,
    /// The line, the move first.
    pub line: Vec<Move>,
}

/// What comes of a line, for who began it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineFacts {
    /// Plies looked at.
    pub plies: usize,
    /// Corners taken on the way.
    pub own_corners: u32,
    pub other_corners: u32,
    /// Legal moves at the end.
    pub own_moves: u32,
    pub other_moves: u32,
    /// Nobody can move any more.
    pub over: bool,
}

impl LineFacts {
    /// Plies after which nobody would speak of consequences of the first.
    const PLIES: usize = 8;

    fn new(board: Board, line: &[Move]) -> LineFacts {
        let mut facts = LineFacts::default();
        let mut here = board;
        for &mv in line.iter().take(LineFacts::PLIES) {
            let next = match mv {
                Move::Place(square) => here.play(square),
                Move::Pass => Some(here.pass()),
            };
            let Some(next) = next else { break };
            if let Move::Place(square) = mv
                && BitBoard::CORNERS.contains(square)
            {
                *(if facts.plies % 2 == 0 { &mut facts.own_corners } else { &mut facts.other_corners }) += 1;
            }
            (here, facts.plies) = (next, facts.plies + 1);
        }
        let own = if facts.plies % 2 == 0 { here } else { here.pass() };
        facts.own_moves = own.moves().count();
        facts.other_moves = own.pass().moves().count();
        facts.over = here.is_over();
        facts
    }
}

/// All that is known of a move beside the best one.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    pub board: Board,
    pub of_move: MoveFacts,
    pub of_best: MoveFacts,
    pub searched: Searched,
    pub best: Searched,
    pub line: LineFacts,
    pub best_line: LineFacts,
    /// How likely a person is to play it.
    pub probability: f64,
    /// The name of the opening that it leads to.
    pub opening: Option<String>,
    /// By how much the evaluation at the end of the line differs from the one at the end of the best line, by groups of
    /// patterns. The network's part is not shared out: it stands by itself.
    pub attribution: Vec<(&'static str, f64)>,
    /// After so many plies of the line a plain evaluation has seen half of the loss.
    pub real_after: Option<usize>,
}

impl Facts {
    /// `None` for an illegal move.
    pub fn new(
        board: Board,
        (square, searched): (Square, Searched),
        (best_square, best): (Square, Searched),
        probability: f64,
        opening: Option<String>,
        weights: &Weights,
    ) -> Option<Facts> {
        let (own_end, best_end) = (end(board, &searched.line), end(board, &best.line));
        let shares = |(end, sign): (Board, f64)| -> Vec<(&'static str, f64)> {
            weights.shares(end).into_iter().map(|(name, discs)| (name, sign * discs)).collect()
        };
        let attribution =
            shares(own_end).into_iter().zip(shares(best_end)).map(|((name, a), (_, b))| (name, a - b)).collect();
        let mut facts = Facts {
            board,
            of_move: MoveFacts::new(board, square)?,
            of_best: MoveFacts::new(board, best_square)?,
            line: LineFacts::new(board, &searched.line),
            best_line: LineFacts::new(board, &best.line),
            searched,
            best,
            probability,
            opening,
            attribution,
            real_after: None,
        };
        facts.real_after = facts.seen_after(weights);
        Some(facts)
    }

    pub fn loss(&self) -> f64 {
        (self.best.value - self.searched.value).max(0.0)
    }

    fn seen_after(&self, weights: &Weights) -> Option<usize> {
        if self.loss() < 1.0 {
            return None;
        }
        let bound = self.searched.value + self.loss() / 2.0;
        let (mut board, mut sign) = (self.board, 1.0);
        for (i, &mv) in self.searched.line.iter().enumerate() {
            board = match mv {
                Move::Place(square) => board.play(square)?,
                Move::Pass => board.pass(),
            };
            sign = -sign;
            let value = if board.is_over() { f64::from(board.final_score()) } else { weights.discs(board) };
            if sign * value <= bound {
                return Some(i + 1);
            }
        }
        None
    }
}

/// The board at the end of a line, and 1 if the side to move there is the one that began.
fn end(board: Board, line: &[Move]) -> (Board, f64) {
    let (mut board, mut sign) = (board, 1.0);
    for &mv in line {
        let next = match mv {
            Move::Place(square) => board.play(square),
            Move::Pass => Some(board.pass()),
        };
        let Some(next) = next else { break };
        (board, sign) = (next, -sign);
    }
    (board, sign)
}
