//! `shirokuro licences`: what the binary contains of others, and under which terms.

use std::io::{self, Write};

#[cfg(test)]
mod notice;

/// Made and kept current by the test below.
const NOTICE: &str = include_str!("../../../resources/licences.txt");

pub fn run(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(NOTICE.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn the_notice_is_current() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let crates = match notice::crates(root) {
            Ok(crates) => crates,
            Err(error) => {
                eprintln!("SKIPPED: the notice of licences was not compared, cargo does not list the crates: {error}");
                return;
            }
        };
        let fresh = notice::write(root, &crates).unwrap();
        if std::env::var_os("UPDATE").is_some() {
            fs::write(root.join("resources/licences.txt"), fresh).unwrap();
        } else {
            assert!(fresh == NOTICE, "the notice is old: `UPDATE=1 cargo test --lib licences` renews it");
        }
    }

    /// The wheel takes what lies beside its description.
    #[test]
    fn the_wheel_carries_the_notice_and_the_licences() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (there, here) in [
            ("NOTICE.txt", "resources/licences.txt"),
            ("LICENSE-MIT", "LICENSE-MIT"),
            ("LICENSE-APACHE", "LICENSE-APACHE"),
        ] {
            let text = |path: &str| fs::read_to_string(root.join(path)).unwrap();
            assert_eq!(text(&format!("examples/python/{there}")), text(here), "{there}");
        }
    }

    #[test]
    fn the_notice_names_direct_dependencies_and_fonts() {
        let mut out = Vec::new();
        run(&mut out).unwrap();
        assert_eq!(out, NOTICE.as_bytes());
        for part in ["\nclap 4.", "\nresvg 0.", "\nrayon 1.", "DejaVu", "Bitstream"] {
            assert!(NOTICE.contains(part), "{part:?}");
        }
    }

    /// `cargo deny` judges fully; this sees a licence that nobody has allowed where that tool is not installed.
    #[test]
    fn every_licence_is_allowed_by_deny_toml() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let deny: toml::Table = fs::read_to_string(root.join("deny.toml")).unwrap().parse().unwrap();
        let allowed: Vec<&str> =
            deny["licenses"]["allow"].as_array().unwrap().iter().filter_map(|l| l.as_str()).collect();
        let licences = NOTICE.lines().filter_map(|line| line.strip_prefix("  licence: "));
        let mut seen = 0;
        for licence in licences {
            seen += 1;
            assert!(notice::allowed(licence, &allowed), "deny.toml does not allow {licence}");
        }
        assert!(seen > 50, "{seen} licences");
        assert!(!notice::allowed("GPL-3.0", &allowed) && !notice::allowed("MIT AND GPL-3.0", &allowed));
        assert!(notice::allowed("GPL-3.0 OR MIT", &allowed) && notice::allowed("GPL-3.0/MIT", &allowed));
        assert!(!notice::allowed("(MIT OR GPL-3.0) AND GPL-2.0", &allowed));
    }
}
