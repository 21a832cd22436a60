//! `nearwater settings`: lists what `--set` and `--option` accept, as an aligned table.

use std::process::ExitCode;

use nearwater::fluid::{MATERIAL_SETTINGS, SolverSetting, every_setting};
use nearwater::search::{OptionKind, SEARCHES, SearchOption};

use super::CommandError;
use super::arguments::{Common, SettingsArguments};

/// Width in which explanations are wrapped, characters.
const WIDTH: usize = 118;

/// A setting as it is listed.
struct Listed {
    name: String,
    /// The values that it accepts, with their unit.
    accepted: String,
    default: String,
    explanation: String,
}

/// Lists all settings, or those whose name or explanation contains a text.
pub fn run(common: &Common, arguments: &SettingsArguments) -> Result<ExitCode, CommandError> {
    common.refuse(
        &Common::ALL,
        "every setting is listed as it is; a text selects some, as in `nearwater settings foam`",
    )?;
    let groups = [("--set", of_scenes()), ("--option", of_searches())];
    let wanted = arguments.text.as_deref().unwrap_or_default().to_lowercase();
    let mut found = false;
    for (option, mut listed) in groups {
        listed.retain(|one| one.name.contains(&wanted) || one.explanation.to_lowercase().contains(&wanted));
        if listed.is_empty() {
            continue;
        }
        if found {
            outln!();
        }
        found = true;
        outln!("{option} NAME=VALUE");
        for line in table(&listed) {
            outln!("{line}");
        }
    }
    if found { Ok(ExitCode::SUCCESS) } else { Err(CommandError::NoSetting(wanted)) }
}

/// The settings of the material, the solvers and foam.
fn of_scenes() -> Vec<Listed> {
    let of_material = MATERIAL_SETTINGS.iter().map(|setting| Listed {
        name: format!("material.{}", setting.name),
        accepted: format!("a number {}", setting.unit),
        default: "the scene's".to_owned(),
        explanation: setting.hover.to_owned(),
    });
    let density = Listed {
        name: "material.density".to_owned(),
        accepted: "summation | continuity:D".to_owned(),
        default: "the scene's".to_owned(),
        explanation: "how densities are computed; D is the coefficient of the diffusion, usually 0.1".to_owned(),
    };
    let of_solvers = every_setting().map(|setting| Listed {
        name: setting.path(),
        accepted: {
            let unit = if setting.unit == SolverSetting::NO_UNIT { "" } else { setting.unit };
            format!("{} to {} {unit}", setting.least, setting.most)
        },
        default: setting.default.to_string(),
        explanation: setting.hover.to_owned(),
    });
    of_material.chain([density]).chain(of_solvers).collect()
}

/// The options of all searches, each once.
fn of_searches() -> Vec<Listed> {
    let mut options: Vec<&SearchOption> = Vec::new();
    for option in SEARCHES.iter().flat_map(|search| search.all_options()) {
        if !options.iter().any(|known| known.name == option.name) {
            options.push(option);
        }
    }
    let listed = |option: &SearchOption| {
        let of = SEARCHES.iter().filter(|search| search.all_options().any(|other| other.name == option.name));
        let searches: Vec<_> = of.map(|search| search.name).collect();
        let accepted = match &option.kind {
            OptionKind::Choice(choices) => choices.iter().map(|choice| choice.label).collect::<Vec<_>>().join(" | "),
            &OptionKind::Number { least, most, suffix, word, .. } => {
                let word = word.map(|(_, word)| format!(" | {word}")).unwrap_or_default();
                format!("{least} to {most}{suffix}{word}")
            }
        };
        Listed {
            name: option.name.to_owned(),
            accepted,
            default: option.label(option.default_value()),
            explanation: format!("{} ({})", option.hover, searches.join(", ")),
        }
    };
    options.into_iter().map(listed).collect()
}

/// The lines of a table whose columns are aligned: name, values and default, with the explanation below them.
fn table(listed: &[Listed]) -> Vec<String> {
    let width = |of: fn(&Listed) -> &str| listed.iter().map(|one| of(one).chars().count()).max().unwrap_or_default();
    let (names, values) = (width(|one| &one.name), width(|one| &one.accepted).min(48));
    let mut lines = Vec::new();
    for Listed { name, accepted, default, explanation } in listed {
        lines.push(format!("  {name:names$}  {:values$}  [{default}]", accepted.trim_end()));
        lines
            .extend(wrapped(explanation, WIDTH - names - 4).into_iter().map(|line| format!("  {:names$}  {line}", "")));
    }
    lines
}

/// The text in lines of at most `width` characters, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            let line = &mut lines[last];
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use nearwater::fluid::every_setting;

    use super::{WIDTH, of_scenes, of_searches, table};

    #[test]
    fn every_setting_is_listed_and_every_line_fits() {
        let (scenes, searches) = (of_scenes(), of_searches());
        for setting in every_setting() {
            assert!(scenes.iter().any(|listed| listed.name == setting.path()), "{} is missing", setting.path());
        }
        assert!(searches.iter().any(|listed| listed.name == "cell-edge" && listed.accepted == "r | 2r | fine"));
        for line in table(&scenes).into_iter().chain(table(&searches)) {
            assert!(line.chars().count() <= WIDTH, "{} characters: {line}", line.chars().count());
        }
    }
}
