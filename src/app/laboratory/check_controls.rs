//! The form of the view "Check mine": files, radius and search as the user typed them, and the pair that is shown.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;

use crate::app::Report;
use crate::laboratory::check::patterns::Kind;
use crate::laboratory::check::{CheckOrder, CheckSource, CheckedList, Directions, WrongPair};
use crate::search::verify::SearchConfiguration;
use crate::search::{SearchInfo, SearchOptions};

/// Points are drawn around a pair up to this distance from its midpoint, in support radii.
const AROUND: f32 = 2.6;

/// The form, and which part of the outcome is shown.
#[derive(Clone, Debug)]
pub struct CheckControls {
    /// File of the points.
    pub points: String,
    /// File of the list.
    pub neighbors: String,
    /// File of the CSR offsets, if they are in a separate file.
    pub offsets: String,
    /// File of the classes.
    pub classes: String,
    /// Radius, m.
    pub radius: String,
    /// Corners of the box, "x,y,z x,y,z"; empty for the bounding box of the points.
    pub bounds: String,
    /// Whether the first particle is number 1 in the files.
    pub one_based: bool,
    /// Whether the list contains each pair once or in both directions.
    pub directions: Directions,
    /// The search whose pairs are taken as correct.
    pub configuration: SearchConfiguration,
    /// The last order.
    pub order: Option<Arc<CheckOrder>>,
    /// Why the form is incomplete or wrong.
    pub mistake: Option<String>,
    /// The kind of pairs that is listed and drawn.
    pub kind: Kind,
    /// Index of the shown pair in the list of its kind; `None` if all pairs are shown.
    pub pair: Option<usize>,
    /// Points that are drawn with it, m.
    pub drawn: Arc<Vec<Vec3>>,
    /// Number of the last outcome that was processed.
    taken: u32,
    /// The outcome, the kind and the pair for which [`CheckControls::drawn`] was computed.
    drawn_for: (u32, Kind, Option<usize>),
}

impl Default for CheckControls {
    fn default() -> Self {
        Self {
            points: String::new(),
            neighbors: String::new(),
            offsets: String::new(),
            classes: String::new(),
            radius: String::new(),
            bounds: String::new(),
            one_based: false,
            directions: Directions::Detect,
            configuration: SearchConfiguration {
                search: SearchInfo::default_for_scenes(),
                options: SearchOptions::default(),
            },
            order: None,
            mistake: None,
            kind: Kind::Missing,
            pair: None,
            drawn: Arc::default(),
            taken: 0,
            drawn_for: (0, Kind::Missing, None),
        }
    }
}

/// The outcome of the last order, if it has arrived.
pub(super) fn outcome<'a>(
    check: &CheckControls,
    report: &'a Report,
) -> Option<Result<&'a Arc<CheckedList>, &'a String>> {
    let (number, outcome) = report.lab.check.outcome.as_ref()?;
    check.order.as_ref().filter(|order| order.number == *number).map(|_| outcome.as_ref())
}

impl CheckControls {
    fn next_number(&self) -> u32 {
        self.order.as_ref().map_or(1, |order| order.number + 1)
    }

    /// Orders the check of the prepared example.
    pub fn order_example(&mut self) {
        let order = CheckOrder::example(self.next_number());
        self.configuration = order.configuration.clone();
        self.take_order(order);
    }

    /// Orders the check of the files in the form, or sets [`CheckControls::mistake`] to what is missing in the form.
    pub fn order_files(&mut self) {
        match self.order_of_form() {
            Ok(order) => self.take_order(order),
            Err(mistake) => self.mistake = Some(mistake),
        }
    }

    fn take_order(&mut self, order: CheckOrder) {
        self.order = Some(Arc::new(order));
        self.mistake = None;
        self.pair = None;
    }

    fn order_of_form(&self) -> Result<CheckOrder, String> {
        let file = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(PathBuf::from);
        let missing = |what: &str| format!("name the file of the {what}");
        let radius = self.radius.trim();
        let radius: f32 = match radius.parse() {
            Ok(radius) => radius,
            Err(_) if radius.is_empty() => return Err("type the radius, in m, that your list was made with".into()),
            Err(_) => return Err(format!("the radius is \"{radius}\", and must be a number in m, as in 0.05")),
        };
        Ok(CheckOrder {
            number: self.next_number(),
            source: CheckSource::Files {
                points: file(&self.points).ok_or_else(|| missing("points"))?,
                neighbors: file(&self.neighbors).ok_or_else(|| missing("neighbor list"))?,
                offsets: file(&self.offsets),
                classes: file(&self.classes),
                one_based: self.one_based,
            },
            radius,
            bounds: parse_bounds(&self.bounds)?,
            configuration: self.configuration.clone(),
            directions: self.directions,
        })
    }

    /// Processes a new outcome by showing the first kind of wrong pairs, and gathers the points to draw with the shown
    /// pairs.
    pub(super) fn refresh(&mut self, report: &Report) {
        let Some((number, Ok(list))) = &report.lab.check.outcome else { return };
        if *number != self.taken {
            self.taken = *number;
            let wrong = list.mine.kinds().into_iter().find(|(_, wrong)| wrong.count > 0);
            self.look_at(wrong.map_or(Kind::Missing, |(kind, _)| kind), None);
        }
        let looked_at = (self.taken, self.kind, self.pair);
        if self.drawn_for != looked_at {
            self.drawn_for = looked_at;
            self.drawn = Arc::new(match self.pair_in(list) {
                None => list.overview(),
                Some(pair) => list.around(middle(list, &pair), AROUND * list.mine.domain.support_radius),
            });
        }
    }

    /// Shows a pair of a kind, given its index in the list, or all pairs of the kind.
    pub fn look_at(&mut self, kind: Kind, pair: Option<usize>) {
        (self.kind, self.pair) = (kind, pair);
    }

    /// The pair that is shown.
    pub(super) fn pair_in(&self, list: &CheckedList) -> Option<WrongPair> {
        let (_, wrong) = list.mine.kinds().into_iter().find(|(kind, _)| *kind == self.kind)?;
        wrong.pairs.get(self.pair?).copied()
    }
}

/// The midpoint between the particles of a pair, m.
pub(super) fn middle(list: &CheckedList, pair: &WrongPair) -> Vec3 {
    0.5 * (list.points[pair.first as usize] + list.points[pair.second as usize])
}

/// Parses two corners, as in "0,0,0 1,1,1"; `None` for an empty text.
fn parse_bounds(text: &str) -> Result<Option<(Vec3, Vec3)>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let numbers: Option<Vec<f32>> = text
        .split(|letter: char| letter == ',' || letter.is_whitespace())
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok())
        .collect();
    match numbers.as_deref() {
        Some(&[a, b, c, d, e, f]) => Ok(Some((Vec3::new(a, b, c), Vec3::new(d, e, f)))),
        _ => Err(format!("the box is \"{}\", and must be two corners in m, as in 0,0,0 1,1,1", text.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_form_names_what_is_missing() {
        let mut form = CheckControls::default();
        let mistake = |form: &mut CheckControls| {
            form.order_files();
            assert!(form.order.is_none());
            form.mistake.clone().expect("a mistake")
        };
        assert!(mistake(&mut form).contains("radius"));
        form.radius = "much".into();
        assert!(mistake(&mut form).contains("\"much\""));
        form.radius = " 0.1 ".into();
        assert!(mistake(&mut form).contains("points"));
        form.points = "points.csv".into();
        assert!(mistake(&mut form).contains("neighbor list"));
        form.neighbors = "list.npy".into();
        form.bounds = "0,0,0".into();
        assert!(mistake(&mut form).contains("two corners"));
        form.bounds = "0,0,0 1, 2,3".into();
        form.order_files();
        let order = form.order.expect("an order");
        assert_eq!(order.bounds, Some((Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0))));
        assert_eq!((order.number, form.mistake), (1, None));
    }
}
