//! Lists of the kinds of probes for the command line's help, hover texts, and `docs/PROBES.md`.

use std::fmt::Write as _;

use super::{ArgumentKind, ProbeArgument, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

/// Names and units of kinds of probes, in one line.
pub fn probe_list(kinds: &[&ProbeKind]) -> String {
    let entry = |kind: &&ProbeKind| format!("{} ({})", kind.name, kind.unit.in_space);
    kinds.iter().map(entry).collect::<Vec<_>>().join(", ")
}

/// The page that describes kinds of probes, in Markdown.
pub fn probe_page(kinds: &[&ProbeKind]) -> String {
    let mut page = String::from(
        "# Probes\n\n\
         A scene's list `probes` names quantities that are measured while the simulation runs. `nearwater simulate SCENE \
         --seconds T --probes FILE.csv --probe-every S` writes them into a CSV file, and the window plots them (key O). This \
         page is generated from the registry of probes, and [ADDING_A_PROBE.md](ADDING_A_PROBE.md) shows how one is added.\n",
    );
    for kind in kinds {
        push_section(&mut page, kind);
    }
    page
}

/// Writes the section of one kind: its form in scene files, its definition, its columns and its arguments.
fn push_section(page: &mut String, kind: &ProbeKind) {
    let name = (kind.column == ProbeName::Given).then(|| "name: \"...\"".to_owned());
    let arguments = kind.arguments.iter().map(|argument| format!("{}: {}", argument.name, placeholder(argument)));
    let fields: Vec<_> = name.into_iter().chain(arguments).collect();
    let call = if fields.is_empty() { kind.name.to_owned() } else { format!("{}({})", kind.name, fields.join(", ")) };
    let column = match kind.column {
        ProbeName::Fixed(name) => name,
        ProbeName::Given => "NAME",
    };
    let columns = match kind.reading {
        ProbeReading::Scalar(_) => format!("`{column}`"),
        ProbeReading::Vector(_) => format!("`{column}_x`, `{column}_y`, `{column}_z`"),
    };
    // Writing into a string cannot fail.
    let _ = write!(
        page,
        "\n## {}\n\n`{call}`\n\n{}\n\nColumns: {columns}, in {}.\n",
        kind.name,
        kind.definition,
        units(kind.unit)
    );
    for (number, argument) in kind.arguments.iter().enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        let unit = if argument.unit.is_empty() { String::new() } else { format!(", in {}", argument.unit) };
        let default = match argument.kind {
            ArgumentKind::Number(Some(default)) if default.is_infinite() => "; no limit by default".to_owned(),
            ArgumentKind::Number(Some(default)) => format!("; {default} by default"),
            ArgumentKind::OptionalSurface => "; none by default".to_owned(),
            ArgumentKind::Number(None) | ArgumentKind::Vector | ArgumentKind::Body | ArgumentKind::Surface => {
                String::new()
            }
        };
        let _ = writeln!(page, "{gap}- `{}`: {}{unit}{default}.", argument.name, argument.meaning);
    }
}

fn placeholder(argument: &ProbeArgument) -> &'static str {
    match argument.kind {
        ArgumentKind::Number(_) => "0.5",
        ArgumentKind::Vector => "(1.0, 0.0, 0.0)",
        ArgumentKind::Body => "0",
        ArgumentKind::Surface | ArgumentKind::OptionalSurface => "\"boundaries[0]\"",
    }
}

fn units(unit: ProbeUnit) -> String {
    let ProbeUnit { in_space, in_plane } = unit;
    if in_space == in_plane { in_space.to_owned() } else { format!("{in_space}; in two dimensions {in_plane}") }
}
