//! The root of the tree: iterative deepening, several best lines, reports.

use super::{
    midgame::{self, Answer, Position, Question, SOLVE_FROM, WIN_ALL},
    parallel::{Best, Pool},
    tuned,
    worker::{Shared, Worker},
};
use crate::{
    base::{Control, Limits, Stopwatch},
    othello::{
        Board, Move,
        eval::{DISC, Weights},
        search::{
            Bound, Depth, Effort, Line, Report, Task, Value,
            cache::Cache,
            levels::{self, Level, SearchDepth},
            probcut::Confidence,
            table::{NO_MOVE, Table, hash},
            time::Patience,
            window::Window,
        },
    },
};
use macro_rules_attribute::apply;
use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A first search to the end is preceded by midgame searches up to this many plies short of it.
const PRESEARCH_SHORT: u32 = 12;
/// How many times as long as everything before it the first pass to the end takes, when the last midgame search was
/// twelve, eleven, and so on down to six plies short of it.
const FIRST_PASS_COSTS: [f64; 7] = [12.0, 10.0, 7.5, 6.0, 5.0, 4.2, 3.3];
/// A pass that is through after so many times the time for the move is begun all the same: it may be quicker, and what it
/// finds is there for the next move.
const DARING: f64 = 1.5;
/// Selective passes before the one that is asked for, in percent: they put its moves in order. An exact one wants more of
/// that; and if the search may be stopped before it is through, the last pass done is the answer.
const PASSES: &[f64] = &[74.0];
const PASSES_TO_EXACT: &[f64] = &[74.0, 88.0];
const PASSES_THAT_COUNT: &[f64] = &[74.0, 98.0];

/// Helping threads are started once a search has come to so many nodes, or at once if it is to go to the end with so many
/// empty squares: small searches are done before it would be worth while.
const HELP_FROM: u64 = 4_000;
const HELP_TO_END: u32 = 17;

/// A move at the root with what the last iteration found.
#[derive(Clone)]
struct RootMove {
    best: Move,
    child: Position,
    value: i32,
    pv: Vec<Move>,
}

struct Root<'a, 'w> {
    worker: &'a mut Worker<'w>,
    moves: Vec<RootMove>,
    empties: u32,
    lines: usize,
    /// What has to be known of the values of this iteration.
    window: Window,
    /// How sureness is shown.
    percent: fn(Confidence) -> u8,
    started: Stopwatch,
    report: Report,
    /// What an iteration that was cut short had found to be better than the best move before it.
    better_late: Option<Line>,
}

/// One iteration.
struct Step {
    reach: SearchDepth,
    /// If the pass to the end could take so many times as long as everything so far and still be about in time, this
    /// iteration is left out for it.
    stopgap: Option<f64>,
}

impl From<SearchDepth> for Step {
    fn from(reach: SearchDepth) -> Step {
        Step { reach, stopgap: None }
    }
}

#[apply(tuned)]
pub fn search(
    table: &Table,
    weights: &Weights,
    caches: &mut [Cache],
    board: Board,
    task: &Task,
    control: Control<'_, Report>,
) -> Report {
    let started = Stopwatch::start(task.limits.clock);
    let shared = Shared {
        table,
        weights,
        stop: control.stop_flag(),
        deadline: task.limits.time.map(|budget| (started, budget.hard)),
        node_limit: task.limits.nodes,
        rough_first: rough_first(board.empty_count()),
        quick_first: !goes_beyond_rough(board.empty_count(), task),
        nodes: AtomicU64::new(0),
        made: AtomicU64::new(0),
        pool: Pool::default(),
    };
    let Some((cache, helping)) = caches.split_first_mut() else {
        unreachable!("a search has at least one thread");
    };
    let mut worker = Worker::new(&shared, cache);
    let moves = root_moves(board, task, &worker);
    let empties = board.empty_count();
    let report = Report {
        lines: Vec::new(),
        value: Value::from_discs(board.final_score()),
        nodes: 0,
        made: 0,
        elapsed: Duration::ZERO,
        complete: true,
    };
    if moves.is_empty() {
        return report;
    }
    let lines = task.lines.clamp(1, moves.len());
    let percent = match task.effort {
        Effort::Sliders { .. } => Confidence::as_one_sided_percent,
        _ => Confidence::as_percent,
    };
    let window = Window::WHOLE;
    let mut root =
        Root { worker: &mut worker, moves, empties, lines, window, percent, started, report, better_late: None };
    std::thread::scope(|scope| {
        let _closer = shared.pool.closer();
        let mut helping = Some(helping);
        root.run(task, control, || {
            for cache in helping.take().into_iter().flatten() {
                let shared = &shared;
                scope.spawn(move || Worker::new(shared, cache).help());
            }
        });
    });
    root.report
}

#[apply(tuned)]
fn root_moves(board: Board, task: &Task, worker: &Worker<'_>) -> Vec<RootMove> {
    let position = Position::new(board);
    let legal = board.moves();
    if legal.is_empty() {
        if board.is_over() {
            return Vec::new();
        }
        let child = position.pass();
        return vec![RootMove { best: Move::Pass, value: -worker.evaluate(&child), child, pv: vec![Move::Pass] }];
    }
    let wanted = task.only.map_or(legal, |only| only & legal);
    let wanted = if wanted.is_empty() { legal } else { wanted };
    let mut moves: Vec<_> = wanted
        .into_iter()
        .map(|square| {
            let child = position.after(square.index() as u32, board.flips(square).0);
            RootMove { best: square.into(), value: -worker.evaluate(&child), child, pv: vec![square.into()] }
        })
        .collect();
    moves.sort_by_key(|m| -m.value);
    moves
}

impl Root<'_, '_> {
    /// `call_helpers` starts the other threads, if it has not been called before.
    #[apply(tuned)]
    fn run(&mut self, task: &Task, control: Control<'_, Report>, mut call_helpers: impl FnMut()) {
        let steps = schedule(task, self.empties);
        let mut patience = task.limits.time.map(Patience::new);
        let to_end = steps.last().is_some_and(|goal| goal.reach.depth >= self.empties);
        if to_end && self.empties >= HELP_TO_END {
            call_helpers();
        }
        for (number, &Step { reach, stopgap }) in steps.iter().enumerate() {
            let in_time = |times: f64| {
                patience
                    .as_ref()
                    .is_none_or(|patience| patience.affords(self.report.elapsed.mul_f64((1.0 + times) / DARING)))
            };
            if stopgap.is_some_and(in_time) {
                continue;
            }
            if self.report.nodes >= HELP_FROM {
                call_helpers();
            }
            // The first iteration is never cut short: there must be something to report.
            self.worker.uninterruptible = number == 0;
            let last = number + 1 == steps.len();
            // The midgame before it has the whole order of the moves to find.
            self.window = if last || reach.depth >= self.empties { task.window } else { Window::WHOLE };
            let found = match task.effort {
                Effort::WinLossDraw if last => self.win_loss_draw(reach),
                _ => self.iterate(reach),
            };
            self.worker.flush();
            let shared = self.worker.shared;
            self.report.nodes = shared.nodes.load(Ordering::Relaxed);
            self.report.made = self.report.nodes + shared.made.load(Ordering::Relaxed);
            self.report.elapsed = self.started.elapsed();
            self.report.complete = last && found.is_some();
            let complete = found.is_some();
            let Some(lines) = found.or_else(|| self.better_late.take().map(|line| vec![line])) else { break };
            self.report.lines = lines;
            self.report.value = self.report.lines[0].value;
            if !complete {
                break;
            }
            control.tell(&self.report);
            let first = &self.report.lines[0];
            let late = patience.as_mut().is_some_and(|patience| {
                patience.is_over(first.best, first.value, self.report.elapsed, self.moves.len())
            });
            let spent = task.limits.nodes.is_some_and(|nodes| self.report.nodes >= nodes);
            if !last && (late || spent || control.stopped()) {
                break;
            }
        }
    }

    /// Searches all moves to one depth; `None` when it was stopped on the way.
    #[apply(tuned)]
    fn iterate(&mut self, reach: SearchDepth) -> Option<Vec<Line>> {
        let mut found: Vec<RootMove> = Vec::with_capacity(self.lines + 1);
        let mut rest = Vec::new();
        let mut waiting: VecDeque<RootMove> = self.moves.iter().cloned().collect();
        let to_end = reach.depth >= self.empties;
        let (low, high) = self.window.limits();
        while let Some(mut current) = waiting.pop_front() {
            let below = child_reach(reach, current.best);
            let floor = match found.len() {
                few if few < self.lines => (low > -WIN_ALL - 1).then_some(low),
                _ => found.last().map(|m| m.value),
            };
            let mut beyond = false;
            let above = match floor {
                None => true,
                Some(floor) if self.worker.should_split(1 + waiting.len(), reach, to_end, true) => {
                    waiting.push_front(current);
                    let Some(number) = self.find_above(floor, waiting.make_contiguous(), reach) else {
                        rest.extend(waiting);
                        break;
                    };
                    current = waiting.remove(number).expect("it is one of those that were waiting");
                    true
                }
                Some(floor) => {
                    let value = -self.worker.null_window(&current.child, Question::likely(-floor - 1), below);
                    beyond = value >= high;
                    current.value = if beyond { value } else { value.min(floor) };
                    value > floor
                }
            };
            if above && !beyond && !self.worker.halted {
                self.true_value(&mut current, (floor.unwrap_or(low), high), below);
            }
            if self.worker.halted {
                break;
            }
            if above && floor.is_none_or(|floor| current.value > floor) {
                let place = found.partition_point(|m| m.value >= current.value);
                found.insert(place, current);
                rest.extend(found.drain(self.lines.min(found.len())..));
            } else {
                rest.push(current);
            }
            if found.len() == self.lines && found.last().is_some_and(|m| m.value >= high) {
                rest.extend(waiting);
                break;
            }
        }
        if self.worker.halted {
            let better = found.first().filter(|m| self.lines == 1 && m.best != self.moves[0].best);
            // As sure as the last whole iteration, not as this one would have been.
            let depth = self.report.lines.first().map(|line| line.depth);
            self.better_late = better.zip(depth).map(|(m, depth)| Line { depth, ..self.line(m, reach, Bound::Lower) });
            return None;
        }
        let bound = |m: &RootMove| if m.value >= high { Bound::Lower } else { Bound::Exact };
        let mut lines: Vec<Line> = found.iter().map(|m| self.line_in_window(m, reach, bound(m))).collect();
        // The rest keeps its order, the best of them first by what is known.
        rest.sort_by_key(|m| -m.value);
        let more = self.lines - lines.len();
        lines.extend(rest.iter().take(more).map(|m| {
            let pv = vec![m.best];
            self.line_in_window(&RootMove { pv, ..m.clone() }, reach, Bound::Upper)
        }));
        found.extend(rest);
        self.moves = found;
        Some(lines)
    }

    /// Looks, together with the other threads, for a move whose value is above `floor`, and tells its number. If there is
    /// none, every move has its value afterwards, as far as it is known.
    #[apply(tuned)]
    fn find_above(&mut self, floor: i32, moves: &mut [RootMove], reach: SearchDepth) -> Option<usize> {
        let places = moves.iter().map(|m| match m.best {
            Move::Place(square) => square.index() as u8,
            Move::Pass => unreachable!("a pass is the only move"),
        });
        let places: Vec<u8> = places.collect();
        let handed = moves.iter().zip(&places).map(|(m, &square)| (m.child, square.into())).collect();
        let none = Best { value: -WIN_ALL - 1, square: NO_MOVE, line: midgame::Line::EMPTY };
        let best = self.worker.split(handed, None, (floor, floor + 1), reach, Answer::No, none);
        if best.value > floor {
            return places.iter().position(|&square| square == best.square);
        }
        for m in moves {
            let board = m.child.board;
            let entry = self.worker.shared.table.probe(board, hash(board)).filter(|entry| entry.upper < i16::MAX);
            m.value = entry.map_or(m.value, |entry| -i32::from(entry.upper)).min(floor);
        }
        None
    }

    /// The value of one move, known to be above `floor`: a narrow window round the last value, widened as needed. It is
    /// enough to know that it is `high` or more.
    #[apply(tuned)]
    fn true_value(&mut self, current: &mut RootMove, (floor, high): (i32, i32), reach: SearchDepth) {
        let solving = reach.depth >= self.empties.saturating_sub(1);
        let mut width = if solving { DISC } else { 2 * DISC };
        let guess = if solving {
            // Scores are even, so that a window of one disc to each side holds just one.
            2 * DISC * (current.value + DISC).div_euclid(2 * DISC)
        } else {
            current.value
        };
        let guess = if high <= WIN_ALL { guess.min(high - 1) } else { guess };
        let (mut alpha, mut beta) = ((guess - width).max(floor), (guess + width).min(high));
        if alpha >= beta {
            beta = (alpha + width).min(high);
        }
        let mut line = midgame::Line::EMPTY;
        loop {
            let value = -self.worker.pv_search(&current.child, -beta, -alpha, reach, &mut line);
            if self.worker.halted {
                return;
            }
            // A selective search may contradict itself: the window only grows, and soon holds everything.
            width *= 4;
            if value <= alpha && alpha > floor {
                alpha = (value - width).max(floor);
            } else if value >= beta && beta < high {
                beta = (value + width).min(high);
            } else {
                current.value = value;
                current.pv = std::iter::once(current.best).chain(line.iter()).collect();
                return;
            }
        }
    }

    /// Who wins, with perfect play: null windows only.
    #[apply(tuned)]
    fn win_loss_draw(&mut self, reach: SearchDepth) -> Option<Vec<Line>> {
        let mut signs = vec![-1; self.moves.len()];
        // First look for wins, then, if need be, for draws.
        for (alpha, sign) in [(0, 1), (-1, 0)] {
            for (i, found) in signs.iter_mut().enumerate().filter(|(_, found)| **found < 0) {
                let current = &self.moves[i];
                let below = child_reach(reach, current.best);
                let question = if current.value > alpha { Question::unlikely } else { Question::likely };
                if -self.worker.null_window(&current.child, question(-alpha - 1), below) > alpha {
                    *found = sign;
                }
                if self.worker.halted {
                    return None;
                }
                if self.lines == 1 && *found == sign {
                    return Some(vec![self.sign_line(i, sign, reach)]);
                }
            }
        }
        let mut order: Vec<usize> = (0..signs.len()).collect();
        order.sort_by_key(|&i| -signs[i]);
        Some(order[..self.lines].iter().map(|&i| self.sign_line(i, signs[i], reach)).collect())
    }

    /// A move of which only the sign of the value is known.
    fn sign_line(&self, index: usize, sign: i32, reach: SearchDepth) -> Line {
        let best = self.moves[index].best;
        let bound = [Bound::Upper, Bound::Exact, Bound::Lower][(sign + 1) as usize];
        let found = RootMove { value: 2 * sign * DISC, pv: vec![best], ..self.moves[index].clone() };
        self.line(&found, reach, bound)
    }

    fn line_in_window(&self, found: &RootMove, reach: SearchDepth, bound: Bound) -> Line {
        let line = self.line(found, reach, bound);
        Line { value: self.window.said(line.value, bound, line.depth), ..line }
    }

    fn line(&self, found: &RootMove, reach: SearchDepth, bound: Bound) -> Line {
        let to_end = reach.depth >= self.empties;
        Line {
            best: found.best,
            pv: found.pv.clone(),
            value: Value::from_hundredths((found.value * 100 + DISC / 2).div_euclid(DISC)),
            bound,
            depth: Depth {
                plies: reach.depth.min(self.empties),
                percent: (self.percent)(reach.confidence),
                solved: to_end && (reach.confidence.is_exact() || self.empties <= SOLVE_FROM),
            },
        }
    }
}

/// A pass is not a ply.
fn child_reach(reach: SearchDepth, best: Move) -> SearchDepth {
    if best == Move::Pass { reach } else { reach.less(1) }
}

/// What is asked for in the end.
fn goal(effort: Effort, empties: u32) -> SearchDepth {
    match effort {
        Effort::Level(level) => Level::new(level).reach(empties),
        Effort::Depth { plies, percent } => {
            SearchDepth { depth: plies.max(1), confidence: Confidence::percent(percent.into()) }
        }
        Effort::Sliders { mid, end } => levels::sliders(mid, end, empties),
        Effort::Exact | Effort::WinLossDraw | Effort::Unlimited => {
            SearchDepth { depth: empties, confidence: Confidence::EXACT }
        }
    }
}

/// May something else than its goal end the search? One without an end of its own is stopped some time.
fn may_be_stopped(task: &Task) -> bool {
    task.limits != Limits::NONE || task.effort == Effort::Unlimited
}

/// Will the search go on to a pass to the end that is surer than the rough one, however long that takes?
fn goes_beyond_rough(empties: u32, task: &Task) -> bool {
    let SearchDepth { depth, confidence } = goal(task.effort, empties);
    !may_be_stopped(task) && depth >= empties && confidence > Confidence::ROUGH
}

/// See [`Shared::rough_first`]: some plies below the root it pays, but not in the many nodes deep down.
fn rough_first(empties: u32) -> u32 {
    empties.saturating_sub(6).clamp(18, 22)
}

/// The iterations that lead up to it.
fn schedule(task: &Task, empties: u32) -> Vec<Step> {
    let goal = goal(task.effort, empties);
    if goal.depth < empties {
        return midgame_steps(1..=goal.depth, goal.confidence).collect();
    }
    let goal = SearchDepth { depth: empties, ..goal };
    if empties <= SOLVE_FROM {
        return midgame_steps(1..=1.min(empties), Confidence::EXACT).chain([goal.into()]).collect();
    }
    let first = Confidence::ROUGH.min(goal.confidence);
    let short_of_it = empties.saturating_sub(PRESEARCH_SHORT);
    let mut steps: Vec<Step> = midgame_steps(1..=short_of_it, first).collect();
    if task.limits.time.is_some() && short_of_it > 0 {
        let reaches = (short_of_it + 1..).map(|depth| SearchDepth { depth, confidence: first });
        let costs = FIRST_PASS_COSTS.into_iter().map(Some);
        steps.extend(reaches.zip(costs).map(|(reach, stopgap)| Step { reach, stopgap }));
    }
    let percents = match goal.confidence {
        _ if may_be_stopped(task) => PASSES_THAT_COUNT,
        Confidence::EXACT => PASSES_TO_EXACT,
        _ => PASSES,
    };
    let passes = percents.iter().map(|&percent| SearchDepth { confidence: Confidence::percent(percent), ..goal });
    steps.extend(passes.filter(|pass| pass.confidence < goal.confidence).chain([goal]).map(Step::from));
    steps
}

/// Depth by depth; the first plies are done in no time, so that only some of them are worth a report.
fn midgame_steps(depths: std::ops::RangeInclusive<u32>, confidence: Confidence) -> impl Iterator<Item = Step> {
    depths.map(move |depth| SearchDepth { depth, confidence }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Budget;

    #[test]
    fn against_time_the_midgame_comes_closer_to_the_end() {
        let second = Some(Budget::exactly(Duration::from_secs(1)));
        let depths = |time| -> Vec<(u32, bool)> {
            let limits = Limits { time, ..Limits::NONE };
            let steps = schedule(&Task { limits, ..Task::new(Effort::Unlimited) }, 30);
            steps.iter().map(|step| (step.reach.depth, step.stopgap.is_some())).collect()
        };
        let ends = [(30, false); 3];
        let plain: Vec<_> = (1..=18).map(|d| (d, false)).chain(ends).collect();
        assert_eq!(depths(None), plain);
        let timed: Vec<_> = (1..=18).map(|d| (d, false)).chain((19..=25).map(|d| (d, true))).chain(ends).collect();
        assert_eq!(depths(second), timed);
        // A midgame that is asked for has no end to come to.
        let limits = Limits { time: second, ..Limits::NONE };
        let midgame = schedule(&Task { limits, ..Task::new(Effort::Depth { plies: 9, percent: 90 }) }, 30);
        assert!(midgame.len() == 9 && midgame.iter().all(|step| step.stopgap.is_none()));
    }

    #[test]
    fn a_search_that_may_be_stopped_has_surer_passes() {
        let percents = |task: Task| -> Vec<u8> {
            let steps = schedule(&task, 24);
            steps.iter().filter(|s| s.reach.depth == 24).map(|s| s.reach.confidence.as_percent()).collect()
        };
        assert_eq!(percents(Task::new(Effort::Exact)), [74, 88, 100]);
        assert_eq!(percents(Task::new(Effort::Depth { plies: 24, percent: 99 })), [74, 99]);
        assert_eq!(percents(Task::new(Effort::Depth { plies: 24, percent: 60 })), [60]);
        assert_eq!(percents(Task::new(Effort::Unlimited)), [74, 98, 100]);
        let limits = Limits { nodes: Some(1_000_000), ..Limits::NONE };
        assert_eq!(percents(Task { limits, ..Task::new(Effort::Exact) }), [74, 98, 100]);
    }

    #[test]
    fn only_a_first_pass_that_may_be_the_last_is_quick() {
        let beyond = |effort| goes_beyond_rough(24, &Task::new(effort));
        assert!(beyond(Effort::Exact) && beyond(Effort::WinLossDraw) && beyond(Effort::Level(60)));
        assert!(beyond(Effort::Depth { plies: 24, percent: 98 }));
        assert!(
            !beyond(Effort::Depth { plies: 24, percent: 74 }) && !beyond(Effort::Depth { plies: 23, percent: 100 })
        );
        assert!(!beyond(Effort::Unlimited));
        let limits = Limits { nodes: Some(1_000_000), ..Limits::NONE };
        assert!(!goes_beyond_rough(24, &Task { limits, ..Task::new(Effort::Exact) }));
    }
}
