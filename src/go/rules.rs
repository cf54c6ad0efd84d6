//! Rule sets: what may be played, and what counts in the end.

use std::str::FromStr;

/// Which repetitions are forbidden. The simple ko rule always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Superko {
    /// Only the simple ko; longer cycles are possible.
    None,
    /// No move may bring back the stones of any earlier position.
    Positional,
    /// No move may bring back the stones of an earlier position with the same side to move.
    Situational,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// Stones and what they surround.
    Area,
    /// What is surrounded, and prisoners.
    Territory,
}

/// What may be played, and how the end is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Their name in options and files.
    pub name: &'static str,
    /// Which repetitions are forbidden.
    pub superko: Superko,
    /// Whether a chain may take its own last liberty.
    pub suicide: bool,
    /// How the end is counted.
    pub scoring: Scoring,
    /// Dead stones are taken off by agreement; otherwise all that stands counts as alive.
    pub agreement: bool,
    /// White is given a point for each handicap stone beyond this many; `None`: never.
    pub handicap_points_beyond: Option<u32>,
}

impl Rules {
    /// Area scoring, positional superko.
    pub const CHINESE: Rules = Rules {
        name: "chinese",
        superko: Superko::Positional,
        suicide: false,
        scoring: Scoring::Area,
        agreement: true,
        handicap_points_beyond: Some(0),
    };
    /// Territory scoring, simple ko.
    pub const JAPANESE: Rules = Rules {
        name: "japanese",
        superko: Superko::None,
        suicide: false,
        scoring: Scoring::Territory,
        agreement: true,
        handicap_points_beyond: None,
    };
    /// Area scoring, suicide allowed, positional superko.
    pub const TROMP_TAYLOR: Rules = Rules {
        name: "tromp-taylor",
        superko: Superko::Positional,
        suicide: true,
        scoring: Scoring::Area,
        agreement: false,
        handicap_points_beyond: None,
    };
    /// Area scoring, situational superko.
    pub const AGA: Rules = Rules {
        name: "aga",
        superko: Superko::Situational,
        suicide: false,
        scoring: Scoring::Area,
        agreement: true,
        handicap_points_beyond: Some(1),
    };
    /// Area scoring, suicide allowed, situational superko.
    pub const NEW_ZEALAND: Rules = Rules {
        name: "new-zealand",
        superko: Superko::Situational,
        suicide: true,
        scoring: Scoring::Area,
        agreement: true,
        handicap_points_beyond: None,
    };

    /// Of the server CGOS: area scoring of what stands on the board, positional superko, no suicide.
    pub const CGOS: Rules = Rules {
        name: "cgos",
        superko: Superko::Positional,
        suicide: false,
        scoring: Scoring::Area,
        agreement: false,
        handicap_points_beyond: None,
    };

    /// All rule sets.
    pub const ALL: [Rules; 6] =
        [Rules::CHINESE, Rules::JAPANESE, Rules::TROMP_TAYLOR, Rules::AGA, Rules::NEW_ZEALAND, Rules::CGOS];

    /// What white gets for black's handicap stones, beside the komi.
    pub fn handicap_points(self, stones: usize) -> u32 {
        match self.handicap_points_beyond {
            Some(free) if stones >= 2 => (stones as u32).saturating_sub(free),
            _ => 0,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rule set (chinese, japanese, tromp-taylor, aga, new-zealand or cgos)")]
pub struct NotARuleSet(pub String);

impl FromStr for Rules {
    type Err = NotARuleSet;

    /// Also takes the names used in SGF files (`NZ`, `GOE` is not among ours) and `korean` for `japanese`.
    fn from_str(text: &str) -> Result<Rules, NotARuleSet> {
        let word: String = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let name = match word.as_str() {
            "nz" => "new-zealand",
            "korean" => "japanese",
            "tromptaylor" | "tt" => "tromp-taylor",
            "cn" => "chinese",
            "jp" => "japanese",
            other => other,
        };
        let found = Rules::ALL.into_iter().find(|rules| rules.name == name);
        found.ok_or_else(|| NotARuleSet(text.chars().take(30).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_rules() {
        for rules in Rules::ALL {
            assert_eq!(rules.name.parse(), Ok(rules));
            assert_eq!(rules.name.to_uppercase().parse(), Ok(rules));
        }
        assert_eq!("NZ".parse(), Ok(Rules::NEW_ZEALAND));
        assert!("martian".parse::<Rules>().is_err());
    }

    #[test]
    fn points_for_handicap() {
        assert_eq!(Rules::CHINESE.handicap_points(4), 4);
        assert_eq!(Rules::AGA.handicap_points(4), 3);
        assert_eq!(Rules::JAPANESE.handicap_points(4), 0);
        assert_eq!(Rules::CHINESE.handicap_points(0), 0);
    }
}
