//! Formats counts, lengths and byte sizes for the user.

/// A whole number with thousands separators: "262,144".
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut words = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            words.push(',');
        }
        words.push(digit);
    }
    words
}

/// A count in a few characters: "4k", "262k", "1M".
pub fn short_count(value: u64) -> String {
    match value {
        0..1_000 => value.to_string(),
        1_000..1_000_000 => format!("{}k", value / 1_000),
        _ => format!("{}M", value / 1_000_000),
    }
}

/// Bytes with a unit: "1.2 MB".
pub fn bytes(value: u64) -> String {
    let value = value as f64;
    match value {
        ..1e3 => format!("{value:.0} B"),
        ..1e6 => format!("{:.1} kB", value / 1e3),
        ..1e9 => format!("{:.1} MB", value / 1e6),
        _ => format!("{:.2} GB", value / 1e9),
    }
}

/// A number with about three digits: "0.042", "1.25", "37.1", "812".
pub fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        ..1e-3 => format!("{value:.1e}"),
        ..1.0 => format!("{value:.3}"),
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        ..10_000.0 => format!("{value:.0}"),
        1e7.. => format!("{value:.2e}"),
        _ if value < 0.0 => format!("-{}", number(-value)),
        _ => count(value.round().max(0.0) as u64),
    }
}

/// A length given in meters, written in millimeters or meters.
pub fn length(meters: f64) -> String {
    if meters < 1e-2 { format!("{} mm", number(meters * 1e3)) } else { format!("{} m", number(meters)) }
}

/// The first non-empty line of an error message that may have many lines.
pub fn first_line(words: &str) -> &str {
    words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("the driver gives no reason")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_with_separators_and_units() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(4_194_304), "4,194,304");
        assert_eq!(short_count(262_144), "262k");
        assert_eq!(short_count(4_194_304), "4M");
        assert_eq!(bytes(1_234_567), "1.2 MB");
        assert_eq!(number(0.0421), "0.042");
        assert_eq!(number(37.12), "37.1");
        assert_eq!(number(12_345.0), "12,345");
        assert_eq!(number(-0.5), "-0.500");
        assert_eq!(number(-12_345.0), "-12,345");
        assert_eq!(length(0.004), "4.00 mm");
    }
}
