use super::ast::{
    At, Candidate, Declaration, Expr, Function, Header, Local, Moves, Name, Op, Pattern, Phase, Pickup, Place, Program,
    Sequence, Step, Type,
};
use super::message::Complaint;
use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn warnings(text: &str) -> Vec<String> {
    read(text).unwrap().warnings.iter().map(ToString::to_string).collect()
}

/// The error with its line and caret.
fn fault(text: &str, expected: Expect) {
    let Fault(message) = read(text).unwrap_err();
    expected.assert_eq(&format!("{message}\n{}\n{}\n", message.source_line, message.caret()));
}

/// A pattern around a condition.
fn around(condition: &str) -> String {
    format!(
        "pattern a;\n applied_place corner;\n pickup none;\n condition {condition};\n candidate with (i, 1) pd4; end_candidate;\nend_pattern;"
    )
}

fn condition(text: &str) -> rule::Truth {
    read(&around(text)).unwrap().rules.remove(0).condition
}

#[test]
fn the_figures_parse_as_printed() {
    let printed = [
        include_str!("../../resources/gopal/as-printed/figure1.gopal"),
        include_str!("../../resources/gopal/as-printed/figure2.gopal"),
        include_str!("../../resources/gopal/as-printed/figure5.gopal"),
        include_str!("../../resources/gopal/as-printed/figure6.gopal"),
        include_str!("../../resources/gopal/as-printed/figure8.gopal"),
    ];
    expect![[r#"
        [
            [
                "line 7, column 13: `pal` in place of `pa1`",
                "line 10, column 7: a comment without braces",
                "line 11, column 1: missing `end_candidate`",
            ],
            [
                "line 7, column 23: `;` before an operator",
                "line 8, column 15: `pal` in place of `pa1`",
                "line 11, column 7: a comment without braces",
                "line 12, column 1: missing `end_candidate`",
            ],
            [
                "line 1, column 37: `:` in place of `;`",
                "line 9, column 19: `:` in place of `;`",
                "line 31, column 1: missing `end_pattern`",
            ],
            [
                "line 1, column 13: `:` in place of `;`",
                "line 10, column 3: missing `end_candidate`",
                "line 12, column 9: the pattern `hosi_kogeima` can never match",
                "line 12, column 21: `:` in place of `;`",
                "line 21, column 3: missing `end_candidate`",
                "line 23, column 37: `:` in place of `;`",
                "line 30, column 58: `-` in place of `=`",
                "line 35, column 1: missing `end_pattern`",
            ],
            [
                "line 7, column 17: `pal` in place of `pa1`",
                "line 9, column 15: `pal` in place of `pa1`",
                "line 10, column 27: `.` in place of `,`",
                "line 11, column 27: `.` in place of `,`",
                "line 14, column 35: `.` in place of `,`",
                "line 14, column 53: a comment hides a statement",
            ],
        ]
    "#]]
    .assert_debug_eq(&printed.map(warnings));
}

#[test]
fn the_repaired_figures_parse_without_warnings() {
    for (text, patterns) in [
        (include_str!("../../resources/gopal/figure1.gopal"), 1),
        (include_str!("../../resources/gopal/figure2.gopal"), 1),
        (include_str!("../../resources/gopal/figure3.gopal"), 1),
        (include_str!("../../resources/gopal/figure5.gopal"), 1),
        (include_str!("../../resources/gopal/figure6.gopal"), 14),
        (include_str!("../../resources/gopal/figure8.gopal"), 1),
    ] {
        let checked = read(text).unwrap();
        assert_eq!((checked.rules.len(), checked.warnings.len()), (patterns, 0), "{:?}", checked.warnings);
    }
}

/// What is printed and what is right are the same rules, where the paper prints the whole.
#[test]
fn repairing_changes_nothing_but_misprints() {
    for (printed, repaired) in [
        (
            include_str!("../../resources/gopal/as-printed/figure1.gopal"),
            include_str!("../../resources/gopal/figure1.gopal"),
        ),
        (
            include_str!("../../resources/gopal/as-printed/figure2.gopal"),
            include_str!("../../resources/gopal/figure2.gopal"),
        ),
        (
            include_str!("../../resources/gopal/as-printed/figure5.gopal"),
            include_str!("../../resources/gopal/figure5.gopal"),
        ),
    ] {
        assert_eq!(read(printed).unwrap().rules, read(repaired).unwrap().rules);
    }
    let printed = include_str!("../../resources/gopal/as-printed/figure6.gopal");
    let repaired = read(include_str!("../../resources/gopal/figure6.gopal")).unwrap().rules;
    let printed = read(&printed.replace("10,10,pc6", "10,10,pd4")).unwrap().rules;
    assert_eq!(printed, repaired[..3]);
}

#[test]
fn errors_show_the_place() {
    fault(
        "",
        expect![[r#"
        line 1, column 1: expected `program` or `pattern`, found the end

        ^
    "#]],
    );
    fault(
        "pattern a;\n  applied_plce corner;",
        expect![[r#"
        line 2, column 3: expected `applied_place`, found `applied_plce`
          applied_plce corner;
          ^
    "#]],
    );
    fault(
        "pattern a; applied_place middle;",
        expect![[r#"
        line 1, column 26: expected corner, side, center or anywhere, found `middle`
        pattern a; applied_place middle;
                                 ^
    "#]],
    );
    fault(
        &around("state(pd4) = friend & (pd5"),
        expect![[r#"
        line 4, column 38: expected an operator or `)`, found `;`
         condition state(pd4) = friend & (pd5;
                                             ^
    "#]],
    );
    fault(
        &around("state(pd4) = freind"),
        expect![[r#"
        line 4, column 25: unknown name `freind`
         condition state(pd4) = freind;
                                ^
    "#]],
    );
    fault(
        &around("libertys(pd4) = 1"),
        expect![[r#"
        line 4, column 12: unknown function `libertys`
         condition libertys(pd4) = 1;
                   ^
    "#]],
    );
    fault(
        &around("state(pd4, pd5) = enemy"),
        expect![[r#"
        line 4, column 12: `state` takes 1 arguments, found 2
         condition state(pd4, pd5) = enemy;
                   ^
    "#]],
    );
    fault(
        &around("liberties(pd4) = enemy"),
        expect![[r#"
        line 4, column 27: these cannot be compared: integer and colour
         condition liberties(pd4) = enemy;
                                  ^
    "#]],
    );
    fault(
        &around("{隅} emparea(px1, 4, 4)"),
        expect![[r#"
        line 4, column 24: the point lies outside the frame, which ends at y25
         condition {隅} emparea(px1, 4, 4);
                                ^
    "#]],
    );
    fault(
        &around("state(pd26) = enemy"),
        expect![[r#"
        line 4, column 18: expected a point from pa1 to py25, found `pd26`
         condition state(pd26) = enemy;
                         ^
    "#]],
    );
    fault(
        &around("liberties(picked) = 1"),
        expect![[r#"
        line 4, column 22: nothing is picked up here
         condition liberties(picked) = 1;
                             ^
    "#]],
    );
    fault(
        "pattern a; { no end",
        expect![[r#"
        line 1, column 12: expected a comment that ends with `}`, found `{`
        pattern a; { no end
                   ^
    "#]],
    );
    fault(
        &format!("{}\n{}", around("true"), around("true")),
        expect![[r#"
        line 7, column 9: `a` is declared twice
        pattern a;
                ^
    "#]],
    );
    fault(
        "program p; function f(x: point): boolean; begin f(x); end; end_program;",
        expect![[r#"
        line 1, column 49: unknown function `f`
        program p; function f(x: point): boolean; begin f(x); end; end_program;
                                                        ^
    "#]],
    );
}

#[test]
fn the_caret_counts_wide_characters_twice() {
    let Fault(message) = read(&around("{隅} oops")).unwrap_err();
    assert_eq!(message.caret().len(), message.column - 1 + 1 + 1);
}

#[test]
fn size_and_depth_are_limited() {
    let says = |text: &str, what: &str| {
        let Fault(message) = read(text).unwrap_err();
        assert!(matches!(&message.complaint, Complaint::TooLarge { what: found, .. } if *found == what), "{message}");
    };
    says(&around(&("(".repeat(5_000) + "true" + &")".repeat(5_000))), "the depth of nesting");
    says(&around(&("not ".repeat(5_000) + "true")), "the depth of nesting");
    says(&around(&("true".to_owned() + &" & true".repeat(100_000))), "the number of operators in a row");
    says(&around(&format!("liberties(pa1) = {}1", "-".repeat(5_000))), "the depth of nesting");
    let branches = "branch candidate with (i, 1) pd4; ".repeat(5_000);
    let nested = around("true").replace("end_candidate", &format!("{branches} end_candidate"));
    says(&nested, "the depth of nesting");
    // Functions that double what they are given.
    let doubling: String = (1..40)
        .map(|n| format!("function f{n}(x: boolean): boolean; begin f{}(x) & not f{}(x); end;\n", n - 1, n - 1))
        .collect();
    let text = format!(
        "program p; function f0(x: boolean): boolean; begin x; end;\n{doubling}\n{}\nend_program;",
        around("f39(can_capture(pa1))")
    );
    let Fault(message) = read(&text).unwrap_err();
    assert!(matches!(message.complaint, Complaint::TooLarge { .. }), "{message}");
}

#[test]
fn constants_and_functions_are_put_in() {
    let text = "program p(x); applied_time opening, middle;
        const star = pd4; const wide = 3 + 1;
        function mine(p: point, q: point): boolean; begin state(p) = friend & state(q) = enemy; end;
        pattern a; applied_place corner;
          const here = pc3; pickup none;
          condition mine(star, here) & emparea(pa1, wide, wide, star, here);
          candidate with (i, 1) pf3; end_candidate;
        end_pattern;
        end_program";
    let checked = read(text).unwrap();
    assert_eq!(checked.warnings, []);
    let rule = &checked.rules[0];
    assert_eq!(rule.phases, [Phase::Opening, Phase::Middle]);
    let known = check::demands(&rule.condition).unwrap();
    let at = |column, row| known[&Local { column, row }];
    assert_eq!((at(4, 4), at(3, 3), at(1, 1)), (rule::Cells::FRIEND, rule::Cells::ENEMY, rule::Cells::EMPTY));
    assert_eq!(known.len(), 16);
}

#[test]
fn operators_bind_as_documented() {
    assert_eq!(
        condition("not state(pd4) = enemy & state(pd5) = enemy"),
        condition("(state(pd4) <> enemy) & (state(pd5) = enemy)")
    );
    assert_eq!(condition("false | true & false"), rule::Truth::Constant(false));
    assert_eq!(condition("1 + 2 * 3 = 7 & 2 - 1 - 1 = 0 & -1 < 0"), rule::Truth::Constant(true));
    let either = rule::Truth::Hold(vec![Local { column: 4, row: 4 }], rule::Cells(5));
    assert_eq!(condition("state(pd4) = friend | state(pd4) = empty"), either);
}

#[test]
fn what_can_never_match_is_reported() {
    for never in ["state(pd4) = enemy & emparea(pa1, 5, 5)", "false", "state(pd4) = friend & state(pd4) <> friend"] {
        let found = warnings(&around(never));
        assert!(found.iter().any(|w| w.ends_with("the pattern `a` can never match")), "{found:?}");
    }
    let counted = around("state(pc3) = enemy & state(pd5) = friend").replace("none", "corner(1)");
    assert_eq!(warnings(&counted), ["line 1, column 9: the pattern `a` can never match"]);
    assert_eq!(
        warnings(&around("state(pd4) = enemy")),
        ["line 5, column 12: the candidate pd4 can never be empty here"]
    );
    assert_eq!(warnings(&around("state(pc3) = enemy")), [] as [&str; 0]);
}

/// The examples of the manual are programs, or the errors it says they are.
#[test]
fn the_manual_tells_the_truth() {
    let manual = include_str!("GOPAL.md");
    let blocks: Vec<&str> = manual.split("```gopal\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 5, "{}", blocks.len());
    for block in blocks {
        let checked = read(block).unwrap_or_else(|fault| panic!("{fault}\n{block}"));
        assert!(checked.warnings.is_empty(), "{:?}\n{block}", checked.warnings);
        let printed = parse(block).unwrap().program.to_string();
        assert_eq!(read(&printed).unwrap().rules, checked.rules);
    }
    for word in [
        "emparea",
        "libs",
        "catching",
        "saving",
        "pset1",
        "move_number",
        "picked",
        "can_escape",
        "tarea",
        "non_symmetric",
    ] {
        assert!(manual.contains(&format!("`{word}")), "the manual says nothing about `{word}`");
    }
}

#[test]
fn the_last_statements_may_be_missing_only_at_the_end() {
    let whole = around("true");
    let short = whole.replace("end_candidate;\nend_pattern;", "");
    assert_eq!(parse(&short).unwrap().program, parse(&whole).unwrap().program);
    fault(
        &whole.replace("end_pattern;", "end_program; x"),
        expect![[r#"
        line 6, column 14: expected a pattern: there was no `program`, found `x`
        end_program; x
                     ^
    "#]],
    );
}

fn name() -> BoxedStrategy<Name> {
    "[a-oq-z][a-z0-9_]{0,6}"
        .prop_filter("reserved words name nothing", |text| parse(&around(text)).is_ok())
        .prop_map(|text| Name { text, at: At(0) })
        .boxed()
}

fn point() -> BoxedStrategy<Expr> {
    (1u8..=25, 1u8..=25).prop_map(|(column, row)| Expr::Point(Local { column, row }, At(0))).boxed()
}

fn expr() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        point(),
        (0i64..1_000_000_000).prop_map(|n| Expr::Number(n, At(0))),
        name().prop_map(Expr::Name),
        "friend|enemy|empty|edge".prop_map(|text| Expr::Name(Name { text, at: At(0) })),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let op = prop::sample::select(&Op::ALL[..]);
        prop_oneof![
            inner.clone().prop_map(|e| Expr::Not(Box::new(e), At(0))),
            inner.clone().prop_map(|e| Expr::Negative(Box::new(e), At(0))),
            (op, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::Binary {
                op,
                at: At(0),
                left: Box::new(a),
                right: Box::new(b)
            }),
            (name(), prop::collection::vec(inner.clone(), 1..4))
                .prop_filter("the arguments of `try` are written otherwise", |(name, _)| name.text != "try")
                .prop_map(|(name, arguments)| Expr::Call { name, arguments }),
            (inner.clone(), inner).prop_map(|(a, b)| {
                Expr::Call { name: Name { text: "try".into(), at: At(0) }, arguments: vec![a, b] }
            }),
        ]
    })
    .boxed()
}

fn moves() -> BoxedStrategy<Moves> {
    (name(), 0i64..1000, prop::option::of(0i64..10), prop::collection::vec(expr(), 1..3))
        .prop_map(|(intent, weight, extra, points)| Moves { at: At(0), intent, weight, extra, points })
        .boxed()
}

fn sequence() -> BoxedStrategy<Sequence> {
    let plain = (prop::option::of(expr()), prop::collection::vec(point(), 0..3), moves())
        .prop_map(|(condition, tarea, first)| Sequence { condition, tarea, first, then: vec![] });
    plain
        .prop_recursive(2, 8, 3, |inner| {
            let next = (moves(), prop::option::of(moves())).prop_map(|(moves, tenuki)| Step::Next { moves, tenuki });
            let way = prop::collection::vec(inner.clone(), 1..3).prop_map(|sequences| Candidate { sequences });
            let branch = (prop::option::of(expr()), prop::collection::vec(way, 1..3))
                .prop_map(|(condition, candidates)| Step::Branch { condition, candidates });
            (inner, prop::collection::vec(prop_oneof![next, branch], 0..4)).prop_map(|(mut sequence, steps)| {
                sequence.then.extend(steps);
                sequence
            })
        })
        .boxed()
}

fn pickup() -> BoxedStrategy<Pickup> {
    let who = || "friend|enemy".prop_map(|text| Name { text, at: At(0) });
    let op = prop::sample::select(&[Op::Equal, Op::Unequal, Op::Less, Op::AtMost, Op::Greater, Op::AtLeast][..]);
    prop_oneof![
        Just(Pickup::None),
        (0i64..37).prop_map(|n| Pickup::Corner(n, At(0))),
        (who(), prop::option::of(point())).prop_map(|(who, at)| Pickup::Stone { who, at }),
        (who(), op, 0i64..9, prop::option::of(point())).prop_map(|(who, op, liberties, at)| Pickup::Chain {
            who,
            op,
            liberties,
            at
        }),
    ]
    .boxed()
}

fn phases() -> BoxedStrategy<Vec<Phase>> {
    prop::collection::vec(prop::sample::select(&[Phase::Opening, Phase::Middle, Phase::Ending, Phase::Any][..]), 0..3)
        .boxed()
}

fn declarations() -> BoxedStrategy<Vec<Declaration>> {
    let kind = || prop::sample::select(&[Type::Boolean, Type::Integer, Type::Point, Type::Set, Type::Colour][..]);
    let function = (name(), prop::collection::vec((name(), kind()), 1..3), kind(), expr())
        .prop_map(|(name, parameters, result, body)| Function { name, parameters, result, body });
    let declaration = prop_oneof![
        (name(), expr()).prop_map(|(name, value)| Declaration::Const { name, value }),
        (prop::collection::vec(name(), 1..3), kind()).prop_map(|(names, kind)| Declaration::Var { names, kind }),
        function.prop_map(Declaration::Function),
    ];
    prop::collection::vec(declaration, 0..3).boxed()
}

fn pattern() -> BoxedStrategy<Pattern> {
    let place = prop::sample::select(&[Place::Corner, Place::Side, Place::Center, Place::Anywhere][..]);
    let sequences = prop::collection::vec(sequence(), 1..3);
    (name(), phases(), place, any::<bool>(), declarations(), pickup(), expr(), sequences)
        .prop_map(|(name, phases, place, symmetric, declarations, pickup, condition, sequences)| Pattern {
            name,
            phases,
            place,
            symmetric,
            declarations,
            pickup,
            condition,
            candidate: Candidate { sequences },
        })
        .boxed()
}

fn program() -> BoxedStrategy<Program> {
    let header = (name(), prop::collection::vec(name(), 0..3), phases(), declarations())
        .prop_map(|(name, arguments, phases, declarations)| Header { name, arguments, phases, declarations });
    (prop::option::of(header), prop::collection::vec(pattern(), 1..3))
        .prop_map(|(header, patterns)| Program { header, patterns })
        .boxed()
}

/// Text made of the words of the language in any order.
fn words() -> BoxedStrategy<String> {
    let word = prop::sample::select(
        &[
            "program",
            "pattern",
            "applied_place",
            "corner",
            "side",
            "pickup",
            "none",
            "condition",
            "candidate",
            "with",
            "next",
            "tenuki",
            "tarea",
            "branch",
            "end_branch",
            "end_candidate",
            "end_pattern",
            "(",
            ")",
            ",",
            ";",
            ":",
            "&",
            "|",
            "not",
            "=",
            "<>",
            "-",
            "pd4",
            "pal",
            "20",
            "20.0",
            "enemy",
            "state",
            "emparea",
            "try",
            "{",
            "}",
            "x",
            "隅",
            "\n",
        ][..],
    );
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" ")).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words_are_read_without_panic(text in words()) {
        if let Err(Fault(message)) = read(&text) {
            let _ = message.caret();
        }
        let _ = read(&around(&text));
    }

    #[test]
    fn damaged_programs_are_read_without_panic(cut in 0usize..2_000, with in "[ -~隅\n]{0,5}") {
        let text = include_str!("../../resources/gopal/as-printed/figure6.gopal");
        let at = (cut..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let _ = read(&format!("{}{with}{}", &text[..at], &text[at..]));
        let _ = read(&text[..at]);
    }

    #[test]
    fn printed_programs_parse_to_the_same_tree(program in program()) {
        let text = program.to_string();
        let parsed = parse(&text).map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))?;
        prop_assert!(parsed.warnings.is_empty(), "{:?}\n{}", parsed.warnings, text);
        prop_assert_eq!(&parsed.program, &program, "{}", text);
        let _ = check(&program, &text);
    }
}
