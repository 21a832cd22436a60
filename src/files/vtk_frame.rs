//! Writes a frame as a VTK file in XML: an unstructured grid with one vertex cell per particle.

use std::io::Write;

use vtkio::Vtk;
use vtkio::model::{
    Attribute, Attributes, ByteOrder, CellType, Cells, DataArray, DataSet, UnstructuredGridPiece, Version,
    VertexNumbers,
};

use super::Frame;
use super::frame::{DENSITY, INDEX, PRESSURE, VELOCITY};

pub(super) fn write(frame: &Frame, writer: impl Write) -> Result<(), vtkio::Error> {
    let count = frame.count();
    let point = [
        DataArray::vectors(VELOCITY).with_data(frame.velocities.as_flattened().to_vec()),
        DataArray::scalars(DENSITY, 1).with_data(frame.densities.clone()),
        DataArray::scalars(PRESSURE, 1).with_data(frame.pressures.clone()),
        DataArray::scalars(INDEX, 1).with_data(frame.indices.clone()),
    ];
    let cells = Cells {
        cell_verts: VertexNumbers::XML {
            connectivity: (0..count as u64).collect(),
            offsets: (1..=count as u64).collect(),
        },
        types: vec![CellType::Vertex; count],
    };
    let piece = UnstructuredGridPiece {
        points: frame.positions.as_flattened().to_vec().into(),
        cells,
        data: Attributes { point: point.map(Attribute::DataArray).to_vec(), cell: Vec::new() },
    };
    let file = Vtk {
        version: Version::Auto,
        title: String::new(),
        byte_order: ByteOrder::LittleEndian,
        data: DataSet::inline(piece),
        file_path: None,
    };
    file.write_xml(writer)
}
