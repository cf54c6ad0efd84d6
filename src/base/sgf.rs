//! The syntax of SGF, the same for every game: trees of nodes with properties. What the properties mean is said
//! elsewhere, by each game for itself.
//!
//! A tree is a list of nodes that name each other by number, so that no depth of variations is too deep.

use super::parse_error::{Expected, ParseError, Read, expect};
use nom::{
    Parser,
    bytes::complete::take_while1,
    character::complete::{char, multispace0},
    multi::many1,
    sequence::{delimited, preceded},
};
use std::fmt;

/// One game: its root and all variations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// The root first, parents before their children.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    pub properties: Vec<Property>,
    parent: Option<usize>,
    children: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Capital letters.
    pub name: String,
    /// At least one; escapes resolved.
    pub values: Vec<String>,
}

impl Node {
    /// A node by itself, in no tree yet.
    pub fn new() -> Node {
        Node::default()
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Node {
        self.push(name, value);
        self
    }

    /// Adds a value to a property, and the property if it is new.
    pub fn push(&mut self, name: &str, value: impl Into<String>) {
        match self.properties.iter_mut().find(|property| property.name == name) {
            Some(property) => property.values.push(value.into()),
            None => self.properties.push(Property { name: name.into(), values: vec![value.into()] }),
        }
    }

    /// The values of a property, none if it is not there.
    pub fn values(&self, name: &str) -> &[String] {
        self.properties.iter().find(|property| property.name == name).map_or(&[], |property| &property.values)
    }

    /// The first value of a property.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    pub fn has(&self, name: &str) -> bool {
        !self.values(name).is_empty()
    }

    /// The main line's first.
    pub fn children(&self) -> &[usize] {
        &self.children
    }
}

impl Tree {
    pub fn new(root: Node) -> Tree {
        Tree { nodes: vec![Node { parent: None, children: vec![], ..root }] }
    }

    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    pub fn root_mut(&mut self) -> &mut Node {
        &mut self.nodes[0]
    }

    /// The node of that number; the root is 0.
    pub fn node(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    pub fn node_mut(&mut self, number: usize) -> &mut Node {
        &mut self.nodes[number]
    }

    /// How many nodes there are; their numbers are below.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node after those `parent` has, and tells its number.
    pub fn add(&mut self, parent: usize, node: Node) -> usize {
        let number = self.nodes.len();
        self.nodes[parent].children.push(number);
        self.nodes.push(Node { parent: Some(parent), children: vec![], ..node });
        number
    }

    /// Makes a node the first of its parent's children: the main line goes through it from there.
    pub fn promote(&mut self, number: usize) {
        if let Some(parent) = self.nodes[number].parent {
            let children = &mut self.nodes[parent].children;
            if let Some(place) = children.iter().position(|&child| child == number) {
                children[..=place].rotate_right(1);
            }
        }
    }

    /// The numbers of the root and its first descendants.
    pub fn main_line(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(0), |&number| self.nodes[number].children.first().copied())
    }

    /// The numbers of the last nodes of every line, main line first.
    pub fn leaves(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            match self.nodes[number].children.as_slice() {
                [] => found.push(number),
                children => open.extend(children.iter().rev()),
            }
        }
        found
    }

    /// The numbers of the nodes from the root to `number`.
    pub fn path(&self, number: usize) -> Vec<usize> {
        let mut path: Vec<_> = std::iter::successors(Some(number), |&n| self.nodes[n].parent).collect();
        path.reverse();
        path
    }
}

/// All games of a text, the first bad one being an error. What stands before the first `(` is skipped.
pub fn parse(text: &str) -> Result<Vec<Tree>, ParseError> {
    games(text).collect()
}

/// The games of a text one after the other. After a bad one it goes on with the next line that begins with `(`.
pub fn games(text: &str) -> Games<'_> {
    Games { text, line: 1, rest: text, first: true, patience: 20 }
}

#[derive(Debug, Clone)]
pub struct Games<'a> {
    /// From the line where reading began, or began anew after an error, and the number of that line.
    text: &'a str,
    line: usize,
    rest: &'a str,
    first: bool,
    /// How often a game that never ends is read to the end of the text to be sure: a bound for hostile texts.
    patience: u32,
}

impl Iterator for Games<'_> {
    type Item = Result<Tree, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest.find('(').map(|at| &self.rest[at..]);
        let Some(start) = start else {
            let empty = self.first && !self.text.trim().is_empty();
            let rest = std::mem::take(&mut self.rest);
            self.first = false;
            return empty.then(|| Err(ParseError::at(self.text, rest.trim_start(), "`(`")));
        };
        self.first = false;
        match tree(start) {
            Ok((rest, tree)) => {
                self.rest = rest;
                Some(Ok(tree))
            }
            Err(error) => {
                let unread = match &error {
                    nom::Err::Error(unmet) | nom::Err::Failure(unmet) => unmet.rest,
                    nom::Err::Incomplete(_) => "",
                };
                // A game without an end swallows the next: go back for that one.
                let endless = unread.is_empty() && self.patience > 0;
                self.patience -= u32::from(endless);
                let error = super::parse_error::parse_error(self.text, error).moved_to_line(self.line);
                self.rest = next_start(if endless { start } else { unread });
                let passed = &self.text[..self.text.len() - self.rest.len()];
                self.line += passed.matches('\n').count();
                self.text = self.rest;
                Some(Err(error))
            }
        }
    }
}

/// From the end of the line before the next one that begins with `(`.
fn next_start(text: &str) -> &str {
    let ends = text.match_indices('\n').map(|(at, _)| &text[at..]);
    ends.into_iter().find(|rest| rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('(')).unwrap_or("")
}

/// A `(` … `)` with everything in it; variations by a stack, not by recursion.
fn tree(input: &str) -> Read<'_, Tree> {
    let mut nodes: Vec<Node> = Vec::new();
    // For each open `(`: the node it hangs on. `last` is the node that the next one follows.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut last: Option<usize> = None;
    let mut rest = input;
    loop {
        let (after_blanks, _) = multispace0::<_, Expected<'_>>(rest)?;
        rest = after_blanks;
        let unmet = |expected| Err(nom::Err::Error(Expected { rest, expected }));
        let mut chars = rest.chars();
        match chars.next() {
            Some('(') => {
                if !open.is_empty() && last == *open.last().unwrap_or(&None) {
                    return unmet("`;`");
                }
                open.push(last);
            }
            Some(';') if !open.is_empty() => {
                let (after, properties) = node(chars.as_str())?;
                let number = nodes.len();
                if let Some(parent) = last {
                    nodes[parent].children.push(number);
                }
                nodes.push(Node { properties, parent: last, children: vec![] });
                last = Some(number);
                rest = after;
                continue;
            }
            Some(')') if last != *open.last().unwrap_or(&None) => {
                last = open.pop().flatten();
                if open.is_empty() {
                    return Ok((chars.as_str(), Tree { nodes }));
                }
            }
            _ if open.is_empty() => return unmet("`(`"),
            _ if last == *open.last().unwrap_or(&None) => return unmet("`;`"),
            _ => return unmet("`;`, `(`, `)` or a property"),
        }
        rest = chars.as_str();
    }
}

/// The properties after a `;`.
fn node(mut rest: &str) -> Read<'_, Vec<Property>> {
    let mut node = Node::new();
    loop {
        (rest, _) = multispace0(rest)?;
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Ok((rest, node.properties));
        }
        let (after, (name, values)) = property(rest)?;
        for value in values {
            node.push(&name, value);
        }
        rest = after;
    }
}

fn property(input: &str) -> Read<'_, (String, Vec<String>)> {
    let (rest, letters) = take_while1(|c: char| c.is_ascii_alphabetic())(input)?;
    // Old files write long names, of which only the capitals count.
    let name: String = letters.chars().filter(char::is_ascii_uppercase).collect();
    if name.is_empty() {
        return Err(nom::Err::Error(Expected { rest: input, expected: "a property in capital letters" }));
    }
    let value = preceded(multispace0, delimited(char('['), text, expect("`]`", char(']'))));
    let (rest, values) = expect("`[`", many1(value)).parse(rest)?;
    Ok((rest, (name, values)))
}

/// Up to the `]` that is not escaped; a backslash takes the next character as it is, and joins lines.
fn text(input: &str) -> Read<'_, String> {
    let mut found = String::new();
    let mut rest = input;
    loop {
        let Some(end) = rest.find(['\\', ']']) else {
            return Err(nom::Err::Failure(Expected { rest: "", expected: "`]`" }));
        };
        found.push_str(&rest[..end]);
        rest = &rest[end..];
        if rest.starts_with(']') {
            return Ok((rest, found));
        }
        rest = &rest[1..];
        let mut chars = rest.chars();
        match chars.next() {
            None => return Err(nom::Err::Failure(Expected { rest, expected: "`]`" })),
            Some(newline @ ('\n' | '\r')) => {
                let pair = if newline == '\n' { '\r' } else { '\n' };
                rest = chars.as_str();
                rest = rest.strip_prefix(pair).unwrap_or(rest);
            }
            Some(c) => {
                found.push(c);
                rest = chars.as_str();
            }
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for value in &self.values {
            write!(f, "[{}]", value.replace('\\', "\\\\").replace(']', "\\]"))?;
        }
        Ok(())
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(";")?;
        self.properties.iter().try_for_each(|property| property.fmt(f))
    }
}

impl fmt::Display for Tree {
    /// The root on a line of its own, the rest in lines of about 80 characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Step {
            Node(usize),
            Open(usize),
            Close,
        }
        let mut todo = vec![Step::Open(0)];
        let mut width = 0;
        while let Some(step) = todo.pop() {
            let text = match step {
                Step::Open(number) => {
                    todo.extend([Step::Close, Step::Node(number)]);
                    "(".into()
                }
                Step::Close => ")".into(),
                Step::Node(number) => {
                    match self.nodes[number].children.as_slice() {
                        [only] => todo.push(Step::Node(*only)),
                        children => todo.extend(children.iter().rev().map(|&child| Step::Open(child))),
                    }
                    self.nodes[number].to_string()
                }
            };
            // The bracket that opens the game stays with its root.
            if width > 1 && width + text.len() > 80 {
                f.write_str("\n")?;
                width = 0;
            }
            f.write_str(&text)?;
            width += text.len();
            if matches!(step, Step::Node(0)) && !self.nodes[0].children.is_empty() {
                f.write_str("\n")?;
                width = 0;
            }
        }
        Ok(())
    }
}

/// The error of a value that its property cannot have, for those who give properties a meaning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{property}[{value}] in node {node}: expected {expected}")]
pub struct BadValue {
    pub node: usize,
    pub property: String,
    pub value: String,
    pub expected: &'static str,
}

#[cfg(test)]
mod tests;
