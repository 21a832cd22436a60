//! A frame as VTK: the points and point data of an unstructured grid or of polygonal data, in XML or the legacy format.

use std::path::Path;

use vtkio::Vtk;
use vtkio::model::{Attribute, DataArrayBase, DataSet, ElementType, IOBuffer, Piece};

use super::MOST_PARTICLES;
use super::columns::Columns;

/// Reads points and every array of point data. Arrays of vectors become columns with `_x`, `_y` and `_z`.
pub(super) fn read(file: &Path) -> Result<Columns, String> {
    let vtk = Vtk::import(file).map_err(|error| one_line(&error))?;
    let (points, attributes) = match vtk.data {
        DataSet::UnstructuredGrid { pieces, .. } => {
            let piece = inline(pieces, file)?;
            (piece.points, piece.data.point)
        }
        DataSet::PolyData { pieces, .. } => {
            let piece = inline(pieces, file)?;
            (piece.points, piece.data.point)
        }
        _ => return Err("it is VTK, but neither an unstructured grid nor polygonal data".to_owned()),
    };
    let points = numbers(&points)?;
    let count = points.len() / 3;
    if count > MOST_PARTICLES {
        return Err(format!("it has more than {MOST_PARTICLES} points; leave some out"));
    }
    let mut columns = Columns::default();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        columns.push(name.to_owned(), points.iter().skip(axis).step_by(3).copied());
    }
    for attribute in attributes {
        match attribute {
            Attribute::DataArray(array) => {
                let width = match array.elem {
                    ElementType::Scalars { num_comp, .. } => num_comp as usize,
                    ElementType::Vectors | ElementType::Normals => 3,
                    ElementType::Generic(width) | ElementType::TCoords(width) | ElementType::ColorScalars(width) => {
                        width as usize
                    }
                    ElementType::Tensors => 9,
                    ElementType::LookupTable => continue,
                };
                columns.add(&array.name, width, &array.data, count)?;
            }
            Attribute::Field { data_array, .. } => {
                for DataArrayBase { name, data, .. } in data_array {
                    let width = data.len().checked_div(count).unwrap_or(1);
                    columns.add(&name, width, &data, count)?;
                }
            }
        }
    }
    Ok(columns)
}

impl Columns {
    fn push(&mut self, name: String, values: impl Iterator<Item = f64>) {
        self.names.push(name);
        self.values.push(values.map(|value| value as f32).collect());
    }

    /// Adds the components of an array of point data.
    fn add(&mut self, name: &str, width: usize, data: &IOBuffer, count: usize) -> Result<(), String> {
        let values = numbers(data)?;
        if width == 0 || values.len() != width * count {
            return Err(format!("its array \"{name}\" has {} values for {count} points", values.len()));
        }
        if width == 1 {
            if Self::is_index(name) {
                self.order = Some(values.iter().map(|&value| value as u64).collect());
            }
            self.push(name.to_owned(), values.into_iter());
            return Ok(());
        }
        let suffixes = ["x", "y", "z", "4", "5", "6", "7", "8", "9"];
        // A vector "v" or "velocity" gives the columns that are known as the velocity.
        for (component, suffix) in suffixes.into_iter().enumerate().take(width) {
            let column = format!("{name}_{suffix}");
            self.push(column, values.iter().skip(component).step_by(width).copied());
        }
        Ok(())
    }
}

/// The only piece of a data set.
fn inline<P>(pieces: Vec<Piece<P>>, file: &Path) -> Result<P, String>
where
    Piece<P>: LoadPiece<P>,
{
    let count = pieces.len();
    let mut pieces = pieces.into_iter();
    match (pieces.next(), count) {
        (Some(piece), 1) => piece.loaded(file),
        _ => Err(format!("it has {count} pieces; write the particles as one")),
    }
}

/// A piece whose data may be in another file.
trait LoadPiece<P> {
    fn loaded(self, file: &Path) -> Result<P, String>;
}

macro_rules! loaded {
    ($($piece:ty),+) => {
        $(impl LoadPiece<$piece> for Piece<$piece> {
            fn loaded(self, file: &Path) -> Result<$piece, String> {
                self.into_loaded_piece_data(Some(file)).map_err(|error| one_line(&error))
            }
        })+
    };
}

loaded!(vtkio::model::UnstructuredGridPiece, vtkio::model::PolyDataPiece);

/// The numbers of an array of any type.
fn numbers(data: &IOBuffer) -> Result<Vec<f64>, String> {
    data.cast_into::<f64>().ok_or_else(|| "it has an array that does not consist of numbers".to_owned())
}

fn one_line(error: &impl std::fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
