//! Lists of searches with their settings as text: names separated by commas, each with its settings after colons, as in
//! `clipped_rows:owned=2,hoetzlein:cell-edge=fine`.

use super::verify::SearchConfiguration;
use super::{SearchError, SearchInfo, SearchOptions, search_named};

impl SearchInfo {
    /// Refuses an option of another search, which would have no effect.
    ///
    /// # Errors
    /// When the search has no option of this name.
    pub fn check_option(&self, name: &str) -> Result<(), SearchError> {
        if self.all_options().any(|option| option.name == name) {
            return Ok(());
        }
        let own: Vec<_> = self.all_options().map(|option| option.name).collect();
        Err(SearchError::ForeignOption { search: self.name, option: name.to_owned(), own: own.join(", ") })
    }
}

impl SearchConfiguration {
    /// Reads a search with its settings. Settings that the text does not give are those of `others`.
    ///
    /// # Errors
    /// When there is no such search, or it does not accept one of the settings.
    pub fn parse(text: &str, others: &SearchOptions) -> Result<Self, SearchError> {
        let mut parts = text.split(':').map(str::trim);
        let search = search_named(parts.next().unwrap_or_default())?;
        let mut options = others.clone();
        for setting in parts {
            options.parse(setting)?;
            search.check_option(setting.split('=').next().unwrap_or_default())?;
        }
        Ok(Self { search, options })
    }

    /// Reads a list of searches with their settings.
    ///
    /// # Errors
    /// As [`SearchConfiguration::parse`].
    pub fn parse_list(text: &str, others: &SearchOptions) -> Result<Vec<Self>, SearchError> {
        text.split(',').map(|one| Self::parse(one.trim(), others)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{CELL_EDGE, SEARCHES};

    #[test]
    fn each_search_of_a_list_has_its_own_settings_and_those_given_for_all() {
        let mut others = SearchOptions::default();
        others.parse("cell-edge=2r").expect("a setting");
        let list = SearchConfiguration::parse_list("green, hoetzlein:cell-edge=fine:look-up=27 cells,fenns", &others);
        let list = list.expect("three searches");
        let names: Vec<_> = list.iter().map(|one| one.search.name).collect();
        assert_eq!(names, ["green", "hoetzlein", "fenns"]);
        let edges: Vec<_> = list.iter().map(|one| one.options.written(&CELL_EDGE)).collect();
        assert_eq!(edges, ["cell-edge=2r", "cell-edge=fine", "cell-edge=2r"]);
    }

    #[test]
    fn unknown_searches_and_settings_of_other_searches_are_refused() {
        let refusal = |text: &str| {
            SearchConfiguration::parse_list(text, &SearchOptions::default()).expect_err("a refusal").to_string()
        };
        assert!(refusal("green,grean").contains("green"), "{}", refusal("green,grean"));
        assert!(refusal("").contains("no search"), "{}", refusal(""));
        let without_edge = SEARCHES.iter().find(|search| search.options.is_empty() || search.name == "fenns");
        let text = format!("{}:cell-edge=2r", without_edge.expect("a search with coarse cells").name);
        assert!(refusal(&text).contains("cell-edge"), "{}", refusal(&text));
    }
}
