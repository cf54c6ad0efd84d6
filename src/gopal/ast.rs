//! The syntax tree of a Gopal program.

/// Where something begins in the text, in bytes. All places are equal, so that two programs are equal when they say
/// the same.
#[derive(Debug, Clone, Copy, Default, Eq)]
pub struct At(pub usize);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

/// A name in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub at: At,
}

/// A point in the coordinates of a frame, both counted from 1: `pd4` is column 4, row 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local {
    pub column: u8,
    pub row: u8,
}

impl Local {
    /// The largest column and row: `y` and 25.
    pub const LARGEST: u8 = 25;

    pub fn new(column: u8, row: u8) -> Option<Local> {
        let inside = |n: u8| (1..=Local::LARGEST).contains(&n);
        (inside(column) && inside(row)).then_some(Local { column, row })
    }
}

impl std::fmt::Display for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "p{}{}", char::from(b'a' + self.column - 1), self.row)
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Program {
    /// A bare list of patterns has none.
    pub header: Option<Header>,
    pub patterns: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    pub name: Name,
    pub arguments: Vec<Name>,
    pub phases: Vec<Phase>,
    pub declarations: Vec<Declaration>,
}

/// When in a game a program or a pattern applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Opening,
    Middle,
    Ending,
    Any,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Declaration {
    Const { name: Name, value: Expr },
    Var { names: Vec<Name>, kind: Type },
    Function(Function),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<(Name, Type)>,
    pub result: Type,
    pub body: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Boolean,
    Integer,
    Point,
    Set,
    Colour,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    pub name: Name,
    pub phases: Vec<Phase>,
    pub place: Place,
    pub symmetric: bool,
    pub declarations: Vec<Declaration>,
    pub pickup: Pickup,
    pub condition: Expr,
    pub candidate: Candidate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Corner,
    Side,
    Center,
    Anywhere,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Pickup {
    None,
    /// So many stones in the 6x6 points of the corner.
    Corner(i64, At),
    /// A stone of this colour, at this point if one is given.
    Stone {
        who: Name,
        at: Option<Expr>,
    },
    /// A chain of this colour whose number of liberties compares so.
    Chain {
        who: Name,
        op: Op,
        liberties: i64,
        at: Option<Expr>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub sequences: Vec<Sequence>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    pub condition: Option<Expr>,
    /// Corners of the area outside which a move is a tenuki; empty if not given.
    pub tarea: Vec<Expr>,
    pub first: Moves,
    pub then: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Next { moves: Moves, tenuki: Option<Moves> },
    Branch { condition: Option<Expr>, candidates: Vec<Candidate> },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Moves {
    pub at: At,
    pub intent: Name,
    pub weight: i64,
    /// The third number, which the paper always gives as 0 and never explains.
    pub extra: Option<i64>,
    pub points: Vec<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Number(i64, At),
    Point(Local, At),
    Name(Name),
    Call { name: Name, arguments: Vec<Expr> },
    Not(Box<Expr>, At),
    Negative(Box<Expr>, At),
    Binary { op: Op, at: At, left: Box<Expr>, right: Box<Expr> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
}

impl Op {
    pub const ALL: [Op; 11] = [
        Op::Or,
        Op::And,
        Op::Equal,
        Op::Unequal,
        Op::Less,
        Op::AtMost,
        Op::Greater,
        Op::AtLeast,
        Op::Plus,
        Op::Minus,
        Op::Times,
    ];

    pub fn symbol(self) -> &'static str {
        match self {
            Op::Or => "|",
            Op::And => "&",
            Op::Equal => "=",
            Op::Unequal => "<>",
            Op::Less => "<",
            Op::AtMost => "<=",
            Op::Greater => ">",
            Op::AtLeast => ">=",
            Op::Plus => "+",
            Op::Minus => "-",
            Op::Times => "*",
        }
    }

    /// How tightly it binds; `not` binds tighter than 2 and looser than 3.
    pub fn precedence(self) -> u8 {
        match self {
            Op::Or => 1,
            Op::And => 2,
            Op::Equal | Op::Unequal | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => 4,
            Op::Plus | Op::Minus => 5,
            Op::Times => 6,
        }
    }

    pub fn compares(self) -> bool {
        self.precedence() == 4
    }
}

impl Expr {
    pub fn at(&self) -> At {
        match self {
            Expr::Number(_, at) | Expr::Point(_, at) | Expr::Not(_, at) | Expr::Negative(_, at) => *at,
            Expr::Name(name) | Expr::Call { name, .. } => name.at,
            Expr::Binary { left, .. } => left.at(),
        }
    }
}

/// The words of an enumeration as they are written.
pub trait Word: Copy + Sized + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|&(_, value)| value)
    }
}

/// The word of a value.
pub fn word_of<T: Word + PartialEq>(value: T) -> &'static str {
    T::WORDS.iter().find(|(_, other)| *other == value).map_or("", |(name, _)| name)
}

impl Word for Phase {
    const WORDS: &'static [(&'static str, Phase)] =
        &[("opening", Phase::Opening), ("middle", Phase::Middle), ("ending", Phase::Ending), ("any", Phase::Any)];
}

impl Word for Place {
    const WORDS: &'static [(&'static str, Place)] =
        &[("corner", Place::Corner), ("side", Place::Side), ("center", Place::Center), ("anywhere", Place::Anywhere)];
}

impl Word for Type {
    const WORDS: &'static [(&'static str, Type)] = &[
        ("boolean", Type::Boolean),
        ("integer", Type::Integer),
        ("point", Type::Point),
        ("set", Type::Set),
        ("colour", Type::Colour),
    ];
}
