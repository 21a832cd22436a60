//! Suggestions for misspelled names in error messages.

/// Up to three of `names` most similar to `wanted`, best first, for "unknown X; did you mean ..." messages.
pub fn nearest_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| {
            let lower = name.to_lowercase();
            let bonus = if lower.contains(&wanted) || wanted.contains(&lower) { 1.0 } else { 0.0 };
            (strsim::jaro_winkler(&wanted, &lower) + bonus, name)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    // Several searches may have an option of the same name.
    scored.dedup_by_key(|(_, name)| *name);
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest_names;

    #[test]
    fn a_misspelled_name_is_suggested_first() {
        let names = ["brute_force", "green", "hoetzlein"];
        assert_eq!(nearest_names("hotzlein", names)[0], "hoetzlein");
        assert_eq!(nearest_names("GREEN", names)[0], "green");
    }
}
