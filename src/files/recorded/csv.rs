//! A frame as CSV with a header of names.

use std::path::Path;

use super::columns::Columns;

/// Reads every column; what is not a number becomes NaN.
pub(super) fn read(file: &Path) -> Result<Columns, String> {
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(file).map_err(|error| error.to_string())?;
    let names: Vec<String> = reader.headers().map_err(|error| one_line(&error))?.iter().map(str::to_owned).collect();
    let number_column = names.iter().position(|name| Columns::is_index(name));
    let mut columns = Columns { values: vec![Vec::new(); names.len()], names, order: None };
    let mut numbers = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| one_line(&error))? {
        for (place, (values, word)) in columns.values.iter_mut().zip(&record).enumerate() {
            if number_column == Some(place) {
                numbers.push(word.parse::<f64>().unwrap_or_default() as u64);
            }
            values.push(word.parse().unwrap_or(f32::NAN));
        }
    }
    columns.order = number_column.map(|_| numbers);
    Ok(columns)
}

fn one_line(error: &csv::Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
