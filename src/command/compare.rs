//! `nearwater compare`: checks the neighbor list of another program.

use std::process::ExitCode;

use nearwater::files::{
    ListForm, PairFiles, check_writable, read_classes, read_finite_positions, read_pairs, write_table,
};
use nearwater::format::count;
use nearwater::gpu::Gpu;
use nearwater::laboratory::check::patterns::{Kind, percent};
use nearwater::laboratory::check::{CheckMine, CheckOptions, ClassCheck, Directions, WrongPair, WrongPairs, check};
use nearwater::search::SearchInfo;
use nearwater::search::verify::SearchConfiguration;

use super::CommandError;
use super::arguments::{Common, CompareArguments};
use super::same_file::{NamedFile, refuse_same_files};

/// Largest number of wrong pairs of each kind that are printed.
const PRINTED: usize = 10;

const COLUMNS: [&str; 15] = [
    "kind",
    "i",
    "j",
    "distance_m",
    "beyond_radius_m",
    "cell_i_x",
    "cell_i_y",
    "cell_i_z",
    "cell_j_x",
    "cell_j_y",
    "cell_j_z",
    "class_i",
    "class_j",
    "listed_class_i",
    "face_distance_i_m",
];

/// Checks another program's neighbor list; exit code 1 where it differs.
pub fn run(common: &Common, arguments: &CompareArguments) -> Result<ExitCode, CommandError> {
    let radius = common.radius.ok_or(CommandError::NoRadius)?;
    common.refuse(
        &["--particles", "--solver", "--kernel", "--set", "--seed"],
        "compare reads its particles from a file",
    )?;
    arguments.csv.as_deref().map(check_writable).transpose()?;
    let inputs = NamedFile::given([
        ("POINTS", Some(arguments.points.as_path())),
        ("NEIGHBORS", Some(arguments.neighbors.as_path())),
        ("--offsets", arguments.offsets.as_deref()),
        ("--classes", arguments.classes.as_deref()),
    ]);
    refuse_same_files(&inputs, &NamedFile::given([("--csv", arguments.csv.as_deref())]))?;
    let search = common.search()?.unwrap_or(SearchInfo::default_for_scenes());
    let configuration = SearchConfiguration { search, options: common.search_options()? };
    let points = read_finite_positions(&arguments.points)?;
    let particle_count = points.len() as u32;
    let list = read_pairs(&PairFiles {
        neighbors: &arguments.neighbors,
        offsets: arguments.offsets.as_deref(),
        one_based: arguments.one_based,
        particle_count,
    })?;
    let classes = arguments.classes.as_deref().map(|file| read_classes(file, particle_count)).transpose()?;
    let directions = match (arguments.once, arguments.both) {
        (true, _) => Directions::Once,
        (_, true) => Directions::Both,
        _ => Directions::Detect,
    };
    let bounds = match arguments.bounds.as_slice() {
        &[low, high] => Some((low, high)),
        _ => None,
    };
    let gpu = common.gpu()?;
    let options = CheckOptions { radius, bounds, configuration, directions, classes };
    let outcome = check(&gpu, &points, &list.pairs, &options)?;
    print(&gpu, &outcome, list.form);
    if let Some(file) = &arguments.csv {
        write_table(file, rows(&outcome))?;
        outln!("\nThe wrong pairs are listed in {}.", file.display());
    }
    Ok(if outcome.agrees() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(gpu: &Gpu, outcome: &CheckMine, form: ListForm) {
    let (low, high) = (outcome.domain.low, outcome.domain.high);
    let radius = outcome.domain.support_radius;
    outln!("{} particles, radius {radius} m, box from {low:.5} to {high:.5}", count(outcome.particle_count.into()));
    let oracle = if outcome.against_reference { ", which was checked against the CPU oracle" } else { "" };
    outln!("the reference is {} on {}{oracle}", outcome.configuration, gpu.capabilities.name);
    if outcome.outside_box > 0 {
        outln!(
            "{} particles are outside the box and are assigned to its outermost cells",
            count(outcome.outside_box.into())
        );
    }
    let form = match form {
        ListForm::Pairs => "pairs",
        ListForm::Csr => "CSR",
    };
    let directions = match (outcome.once, outcome.detected) {
        (true, true) => "each once, because none is listed in both directions (add --both if they should be)",
        (true, false) => "each once",
        (false, true) => "in both directions, because some are (add --once if each pair should be listed once)",
        (false, false) => "in both directions",
    };
    outln!("the list: {} pairs ({form}), read as {directions}", count(outcome.listed));
    outln!("expected: {} pairs", count(outcome.expected));
    if outcome.self_pairs > 0 {
        outln!("left out: {} pairs of a particle with itself, which are not errors", count(outcome.self_pairs));
    }
    let undecided = outcome.undecided_missing + outcome.undecided_extra;
    if undecided > 0 {
        outln!(
            "left out: {} pairs whose distance equals the radius within rounding ({} missing, {} extra)",
            count(undecided),
            count(outcome.undecided_missing),
            count(outcome.undecided_extra)
        );
    }
    outln!("\nright   {:>12}", count(outcome.right));
    for (kind, wrong) in outcome.kinds() {
        outln!("{:<7} {:>12}", kind.label(), count(wrong.count));
    }
    for (kind, wrong) in outcome.kinds() {
        print_wrong(outcome, kind, wrong);
    }
    if let Some(classes) = &outcome.classes {
        print_classes(outcome, classes);
    }
    outln!("\n{}", if outcome.agrees() { "The list is right." } else { "The list is WRONG." });
}

fn print_wrong(outcome: &CheckMine, kind: Kind, wrong: &WrongPairs) {
    if wrong.count == 0 {
        return;
    }
    match outcome.pattern(kind) {
        Some(pattern) => {
            let certainty = percent(pattern.certainty);
            outln!("\n{}: {pattern}.", kind.label().to_uppercase());
            outln!("  Of all pairs with this property, {certainty} % are {}.", kind.label());
        }
        None => outln!("\n{}: no common pattern was found.", kind.label().to_uppercase()),
    }
    outln!(
        "  {:>10} {:>10} {:>14} {:>14}  cells and classes with {}",
        "i",
        "j",
        "distance m",
        "- radius m",
        outcome.configuration
    );
    for pair in wrong.pairs.iter().take(PRINTED) {
        outln!(
            "  {:>10} {:>10} {:>14.8} {:>+14.8}  {}",
            pair.first,
            pair.second,
            pair.distance,
            pair.beyond_radius,
            whereabouts(outcome, pair)
        );
    }
    let printed = wrong.pairs.len().min(PRINTED) as u64;
    if printed < wrong.count {
        outln!("  and {} more", count(wrong.count - printed));
    }
}

fn class_name(is_border: bool) -> &'static str {
    if is_border { "border" } else { "inner" }
}

/// The cells and classes of a pair in a line.
fn whereabouts(outcome: &CheckMine, pair: &WrongPair) -> String {
    let Some([first, second]) = outcome.cells_of(pair) else { return "the search has no cells".to_owned() };
    match outcome.borders_of(pair) {
        None => format!("{first} and {second}"),
        Some([of_first, of_second]) => {
            format!("{first} {} and {second} {}", class_name(of_first), class_name(of_second))
        }
    }
}

fn print_classes(outcome: &CheckMine, classes: &ClassCheck) {
    outln!(
        "\nCLASSES: {} border particles in the file, {} with {}; the class of {} particles differs",
        count(classes.listed_border),
        count(classes.search_border),
        outcome.configuration,
        count(classes.count)
    );
    if classes.undecided > 0 {
        outln!("  left out: {} whose distance from a face equals the radius within rounding", count(classes.undecided));
    }
    for mismatch in classes.mismatches.iter().take(PRINTED) {
        outln!(
            "  particle {:>10}: {} in the file, {} here, {:.8} m from the nearest face between coarse cells",
            mismatch.particle,
            class_name(mismatch.listed_as_border),
            class_name(!mismatch.listed_as_border),
            mismatch.face_distance
        );
    }
    if classes.count > PRINTED as u64 {
        outln!("  and {} more", count(classes.count - PRINTED as u64));
    }
}

/// The table of all stored wrong pairs and classes, starting with its header.
fn rows(outcome: &CheckMine) -> Vec<Vec<String>> {
    let mut rows = vec![COLUMNS.map(str::to_owned).to_vec()];
    let empty = || COLUMNS.map(|_| String::new());
    for (kind, wrong) in outcome.kinds() {
        for pair in &wrong.pairs {
            let mut row = empty();
            kind.label().clone_into(&mut row[0]);
            row[1] = pair.first.to_string();
            row[2] = pair.second.to_string();
            row[3] = pair.distance.to_string();
            row[4] = pair.beyond_radius.to_string();
            let cells = outcome.cells_of(pair).into_iter().flatten().flat_map(|cell| cell.to_array());
            row[5..11].iter_mut().zip(cells).for_each(|(field, cell)| *field = cell.to_string());
            let borders = outcome.borders_of(pair).into_iter().flatten();
            row[11..13].iter_mut().zip(borders).for_each(|(field, border)| class_name(border).clone_into(field));
            rows.push(row.to_vec());
        }
    }
    for mismatch in outcome.classes.iter().flat_map(|classes| &classes.mismatches) {
        let mut row = empty();
        "class".clone_into(&mut row[0]);
        row[1] = mismatch.particle.to_string();
        let cell = outcome.places.as_ref().map(|places| places.cell(mismatch.particle).to_array());
        row[5..8].iter_mut().zip(cell.into_iter().flatten()).for_each(|(field, cell)| *field = cell.to_string());
        class_name(!mismatch.listed_as_border).clone_into(&mut row[11]);
        class_name(mismatch.listed_as_border).clone_into(&mut row[13]);
        row[14] = mismatch.face_distance.to_string();
        rows.push(row.to_vec());
    }
    rows
}
