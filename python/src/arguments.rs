//! Checks of arguments that several functions take.

use std::collections::BTreeMap;

use nearwater::search::{SearchError, SearchInfo, SearchOptions};
use pyo3::prelude::*;

use crate::fault::Fault;

/// A whole number of at least `least` that fits 32 bits; `name` is the argument's.
pub fn whole_number(name: &str, value: &Bound<'_, PyAny>, least: u32) -> Result<u32, Fault> {
    value.extract::<u32>().ok().filter(|&number| number >= least).ok_or_else(|| {
        let given = text_of(value);
        Fault::Input(format!("{name} is {given} and must be a whole number from {least} to {}", u32::MAX))
    })
}

/// A float; `wanted` completes the sentence on what it must be.
pub fn number(name: &str, value: &Bound<'_, PyAny>, is_good: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, Fault> {
    value
        .extract::<f64>()
        .ok()
        .filter(|&number| is_good(number))
        .ok_or_else(|| Fault::Input(format!("{name} is {} and must be {wanted}", text_of(value))))
}

/// A value as Python prints it.
fn text_of(value: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 80;
    let text = value.repr().map_or_else(|_| "an object".to_owned(), |text| text.to_string());
    if text.chars().count() > LONGEST { text.chars().take(LONGEST).chain(['…']).collect() } else { text }
}

/// Mappings of names to values, each as `NAME=VALUE` for the library's parsers. Values are written as Python prints
/// them.
pub fn pairs(given: Option<BTreeMap<String, Bound<'_, PyAny>>>) -> PyResult<Vec<String>> {
    given.unwrap_or_default().into_iter().map(|(name, value)| Ok(format!("{name}={}", value.str()?))).collect()
}

/// The options of a search from `NAME=VALUE`.
pub fn search_options(search: &'static SearchInfo, pairs: &[String]) -> Result<SearchOptions, Fault> {
    let mut options = SearchOptions::default();
    for pair in pairs {
        options.parse(pair)?;
        let name = pair.split('=').next().unwrap_or_default();
        if !search.options.iter().any(|option| option.name == name) {
            let own: Vec<_> = search.options.iter().map(|option| option.name).collect();
            let own = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
            return Err(SearchError::ForeignOption { search: search.name, option: name.to_owned(), own }.into());
        }
    }
    Ok(options)
}
