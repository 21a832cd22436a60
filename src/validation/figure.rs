//! Figures that compare simulation and reference: panels of curves, drawn three times too large and reduced, so that
//! lines and letters are smooth.

use std::ops::Range;
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::imageops::{FilterType, resize};
use image::{ImageBuffer, RgbImage};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::{Outcome, ValidationError};
use crate::files::write_whole;
use crate::fluid::Solver;
use crate::picture_text::{FONT, OVERSIZE, font};

/// Pixels of a panel.
const PANEL: (u32, u32) = (570, 400);
/// Pixels above the panels, for the title.
const HEADING: u32 = 40;
/// Lower limit of curves on a logarithmic axis, as a fraction of the low end of the axis.
const FLOOR: f64 = 0.1;

/// A picture of panels, in reading order.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Title above all panels.
    pub title: String,
    /// Number of panels in a row.
    pub columns: usize,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// Curves over common axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Title above the panel.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves; the first one is drawn at the back.
    pub curves: Vec<PlottedCurve>,
}

/// Label, range and scale of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    label: String,
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

/// A curve and its appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct PlottedCurve {
    label: String,
    points: Vec<(f64, f64)>,
    look: Look,
}

/// The appearance of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// The reference of the run: black dots.
    Measured,
    /// Another experiment: gray rings.
    OtherMeasured,
    /// A formula or a published computation: dashes.
    Theory,
    /// A run with that solver; 0 is the coarsest and palest, 1 the finest.
    Run(Solver, f64),
    /// One of many curves of the same kind, by its index: a color, and dashes once the colors repeat.
    Series(usize),
}

impl Look {
    /// Color of a line.
    fn color(self) -> RGBColor {
        match self {
            Self::Run(solver, shade) => run_color(solver, shade),
            Self::Series(number) => SERIES[number % SERIES.len()],
            Self::Measured => BLACK,
            Self::OtherMeasured | Self::Theory => GREY,
        }
    }
}

impl Axis {
    /// A linear axis from low to high.
    pub fn linear(label: &str, low: f64, high: f64) -> Self {
        Self { label: label.to_owned(), low, high, is_logarithmic: false }
    }

    /// A logarithmic axis from low to high, both above zero.
    pub fn logarithmic(label: &str, low: f64, high: f64) -> Self {
        Self { label: label.to_owned(), low, high, is_logarithmic: true }
    }

    /// Position of a value on the axis.
    fn place(&self, value: f64) -> f64 {
        if self.is_logarithmic { value.max(FLOOR * self.low).log10() } else { value }
    }

    fn range(&self) -> Range<f64> {
        self.place(self.low)..self.place(self.high)
    }

    /// Label of a tick.
    fn tick(&self, place: f64) -> String {
        if !self.is_logarithmic {
            let decimals = match self.high - self.low {
                range if range < 0.8 => 2,
                range if range < 6.0 => 1,
                _ => 0,
            };
            return format!("{place:.decimals$}");
        }
        let value = 10.0_f64.powf(place);
        if (1e-2..1e3).contains(&value) { format!("{value:.2}") } else { format!("{value:.0e}") }
    }
}

impl PlottedCurve {
    /// A single curve.
    pub fn new(label: &str, points: Vec<(f64, f64)>, look: Look) -> Self {
        Self { label: label.to_owned(), points, look }
    }

    /// The curves of a quantity, one per outcome.
    pub fn of_runs(outcomes: &[Outcome], quantity: &str) -> Vec<Self> {
        let shade = |outcome: &Outcome| {
            let same = outcomes.iter().filter(|other| other.solver == outcome.solver);
            let mut finenesses: Vec<u32> = same.map(|other| other.fineness).collect();
            finenesses.sort_unstable();
            finenesses.dedup();
            let rank = finenesses.iter().position(|&fineness| fineness == outcome.fineness).unwrap_or_default();
            (rank + 1) as f64 / finenesses.len() as f64
        };
        let curve = |outcome: &Outcome| {
            Self::new(&outcome.label(), outcome.curve(quantity).to_vec(), Look::Run(outcome.solver, shade(outcome)))
        };
        outcomes.iter().map(curve).collect()
    }
}

/// Color between the dark and the pale end of a solver's color. The colors are distinguishable with any color vision.
fn run_color(solver: Solver, shade: f64) -> RGBColor {
    let [dark, pale] = solver.plot_colors;
    let mix = |index: usize| (f64::from(pale[index]) + shade * (f64::from(dark[index]) - f64::from(pale[index]))) as u8;
    RGBColor(mix(0), mix(1), mix(2))
}

/// Eight colors that are distinguishable with any color vision (M. Okabe and K. Ito, Color Universal Design, 2008),
/// with black in place of their yellow, which is hardly visible on white.
const SERIES: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(120, 94, 240),
];

const GREY: RGBColor = RGBColor(120, 120, 120);
const PALE_GREY: RGBColor = RGBColor(226, 226, 226);

impl Figure {
    /// Draws the figure into a PNG file, which is written completely or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), ValidationError> {
        let picture = self.draw()?;
        write_whole(file, |writer| {
            let encoder = PngEncoder::new_with_quality(writer, CompressionType::Best, PngFilter::Adaptive);
            picture.write_with_encoder(encoder)
        })?;
        Ok(())
    }

    /// Draws the figure.
    ///
    /// # Errors
    /// Only if the program's own font or the axes of a panel are invalid.
    pub fn draw(&self) -> Result<RgbImage, ValidationError> {
        let failed = |reason: &dyn std::fmt::Display| ValidationError::Plot {
            title: self.title.clone(),
            reason: reason.to_string(),
        };
        font().map_err(|reason| failed(&reason))?;
        let rows = self.panels.len().div_ceil(self.columns.max(1)).max(1);
        let width = PANEL.0 * self.columns.max(1) as u32;
        let height = HEADING + PANEL.1 * rows as u32;
        let (wide, high) = (width * OVERSIZE, height * OVERSIZE);
        let mut bytes = vec![255_u8; (wide * high * 3) as usize];
        {
            let whole = BitMapBackend::with_buffer(&mut bytes, (wide, high)).into_drawing_area();
            let (heading, below) = whole.split_vertically(HEADING * OVERSIZE);
            let title = TextStyle::from((FONT, f64::from(22 * OVERSIZE)).into_font());
            let place = [16, 12].map(|pixels| (pixels * OVERSIZE).cast_signed()).into();
            heading.draw_text(&self.title, &title, place).map_err(|error| failed(&error))?;
            for (panel, area) in self.panels.iter().zip(below.split_evenly((rows, self.columns.max(1)))) {
                panel.draw(&area).map_err(|error| failed(&error))?;
            }
            whole.present().map_err(|error| failed(&error))?;
        }
        let large: RgbImage = ImageBuffer::from_raw(wide, high, bytes).ok_or_else(|| failed(&"no picture"))?;
        Ok(resize(&large, width, height, FilterType::Triangle))
    }
}

type Area<'a> = DrawingArea<BitMapBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>;

impl Panel {
    fn draw<'a>(&self, area: &Area<'a>) -> Result<(), Failure<'a>> {
        let size = |pixels: u32| pixels * OVERSIZE;
        let text = |pixels: u32| (FONT, f64::from(size(pixels))).into_font();
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, text(17))
            .margin(size(8))
            .margin_right(size(16))
            .x_label_area_size(size(40))
            .y_label_area_size(size(58))
            .build_cartesian_2d(self.x.range(), self.y.range())?;
        chart
            .configure_mesh()
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_label_formatter(&|place| self.x.tick(*place))
            .y_label_formatter(&|place| self.y.tick(*place))
            .label_style(text(14))
            .axis_desc_style(text(15))
            .axis_style(GREY.stroke_width(OVERSIZE))
            .bold_line_style(PALE_GREY.stroke_width(OVERSIZE))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for curve in &self.curves {
            let finite = curve.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            let within = |(x, _): &(f64, f64)| self.x.range().start <= *x && *x <= self.x.range().end;
            let places = finite.map(|&(x, y)| (self.x.place(x), self.y.place(y))).filter(within);
            let places: Vec<_> = places.collect();
            let dots = || places.iter().filter(|(_, y)| self.holds(*y)).copied();
            let pieces = || places.chunk_by(|a, b| self.holds(a.1) && self.holds(b.1)).filter(|piece| piece.len() > 1);
            let half = size(14).cast_signed();
            let series = match curve.look {
                Look::Measured => {
                    let dot = |at| Circle::new(at, size(4), BLACK.filled());
                    let series = chart.draw_series(dots().map(dot))?;
                    series.legend(move |(x, y)| Circle::new((x + half, y), size(4), BLACK.filled()))
                }
                Look::OtherMeasured => {
                    let ring = GREY.stroke_width(OVERSIZE);
                    let series = chart.draw_series(dots().map(|at| Circle::new(at, size(3), ring)))?;
                    series.legend(move |(x, y)| Circle::new((x + half, y), size(3), ring))
                }
                Look::Theory => {
                    let dash = GREY.stroke_width(size(2));
                    let (long, gap) = (size(7), size(5));
                    let dashes = |piece: &[(f64, f64)]| DashedLineSeries::new(piece.to_vec(), long, gap, dash);
                    let series = chart.draw_series(pieces().flat_map(dashes))?;
                    let key = move |(x, y): (i32, i32)| vec![(x + 4, y), (x + 2 * half, y)];
                    series.legend(move |at| DashedPathElement::new(key(at), long, gap, dash))
                }
                Look::Series(number) if number >= SERIES.len() => {
                    let dash = SERIES[number % SERIES.len()].stroke_width(size(2));
                    let (long, gap) = (size(7), size(4));
                    let dashes = |piece: &[(f64, f64)]| DashedLineSeries::new(piece.to_vec(), long, gap, dash);
                    let series = chart.draw_series(pieces().flat_map(dashes))?;
                    let key = move |(x, y): (i32, i32)| vec![(x + 4, y), (x + 2 * half, y)];
                    series.legend(move |at| DashedPathElement::new(key(at), long, gap, dash))
                }
                Look::Run(..) | Look::Series(_) => {
                    let line = curve.look.color().stroke_width(size(2));
                    let series = chart.draw_series(pieces().flat_map(|piece| LineSeries::new(piece.to_vec(), line)))?;
                    series.legend(move |(x, y)| PathElement::new([(x + 4, y), (x + 2 * half, y)], line))
                }
            };
            series.label(&curve.label);
        }
        chart
            .configure_series_labels()
            .position(self.emptiest_corner())
            .margin(size(10))
            .legend_area_size(size(32))
            .label_font(text(14))
            .background_style(WHITE.mix(0.85))
            .border_style(PALE_GREY.stroke_width(OVERSIZE))
            .draw()
    }

    /// The corner with the fewest points, for the legend.
    fn emptiest_corner(&self) -> SeriesLabelPosition {
        let share = |place: f64, range: &Range<f64>| (place - range.start) / (range.end - range.start);
        let corners = [
            (SeriesLabelPosition::UpperLeft, 0.0, 1.0),
            (SeriesLabelPosition::UpperRight, 1.0, 1.0),
            (SeriesLabelPosition::LowerRight, 1.0, 0.0),
            (SeriesLabelPosition::LowerLeft, 0.0, 0.0),
        ];
        let crowd = |right: f64, up: f64| -> f64 {
            let near = |&(x, y): &(f64, f64)| {
                let x = (share(self.x.place(x), &self.x.range()) - right).abs();
                let y = (share(self.y.place(y), &self.y.range()) - up).abs();
                x < 0.45 && y < 0.4
            };
            let of_curve = |curve: &PlottedCurve| {
                curve.points.iter().filter(|point| near(point)).count() as f64 / curve.points.len().max(1) as f64
            };
            self.curves.iter().map(of_curve).sum()
        };
        let fewest = corners.into_iter().min_by(|a, b| crowd(a.1, a.2).total_cmp(&crowd(b.1, b.2)));
        fewest.map_or(SeriesLabelPosition::UpperRight, |corner| corner.0)
    }

    /// Whether a height is within the panel.
    fn holds(&self, y: f64) -> bool {
        let range = self.y.range();
        range.start <= y && y <= range.end
    }
}
