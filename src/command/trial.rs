//! Prints the result of a trial run of the app off screen.

use nearwater::app::{TrialFrame, TrialResult, TrialRun};

/// The trial run of `frames` frames on a display of this many refreshes per second.
pub fn trial_run(frames: u32, display: u32) -> TrialRun {
    TrialRun { frames, display: f64::from(display), tell_steady: print_steady, tell_switches: print_switches }
}

fn print_steady(result: &TrialResult) {
    let steady = &result.steady;
    let shown: f64 = steady.iter().map(|frame| frame.shown_after).sum::<f64>() * 1e-3;
    let simulated: f64 = steady.iter().map(|frame| frame.simulated).sum();
    let steps: u64 = steady.iter().map(|frame| frame.steps).sum();
    let count = steady.len().max(1) as f64;
    outln!("{}", result.runs);
    outln!("{} frames in {shown:.2} s: {:.1} frames/s", steady.len(), count / shown);
    let of = |name: &str, value: fn(&TrialFrame) -> f64| {
        let values = sorted(steady, value);
        outln!("{name}: median {:.2} ms, 99th percentile {:.2} ms", at(&values, 0.5), at(&values, 0.99));
    };
    of("frame, from refresh to refresh", |frame| frame.shown_after);
    of("work of a frame", |frame| frame.work);
    outln!("{:.2} steps a frame, {:.3} times real time\n", steps as f64 / count, simulated / shown);
}

fn print_switches(result: &TrialResult) {
    outln!("| switch | longest frame, ms | second longest, ms | median, ms | what runs then |\n|---|---|---|---|---|");
    for switch in &result.switches {
        let values = sorted(&switch.frames, |frame| frame.shown_after);
        let longest = |place: usize| values.len().checked_sub(place).map_or(0.0, |place| values[place]);
        outln!(
            "| {} | {:.1} | {:.1} | {:.1} | {} |",
            switch.what,
            longest(1),
            longest(2),
            at(&values, 0.5),
            switch.runs
        );
    }
}

fn sorted(frames: &[TrialFrame], value: fn(&TrialFrame) -> f64) -> Vec<f64> {
    let mut values: Vec<_> = frames.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The value below which this fraction of sorted values lies; 0 if there are none.
fn at(values: &[f64], fraction: f64) -> f64 {
    let place = (fraction * values.len() as f64) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
}
