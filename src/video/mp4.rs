//! Writes an MP4 file with the built-in encoder.

use std::fmt::Display;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::num::NonZeroU32;

use shiguredo_mp4::boxes::{Avc1Box, AvccBox, SampleEntry, VisualSampleEntryFields};
use shiguredo_mp4::mux::{Mp4FileMuxer, Sample};
use shiguredo_mp4::{TrackKind, Uint};

use super::frames::Frames;
use super::h264::{H264, Parameters};
use super::{VideoError, VideoSettings};
use crate::files::{WholeWriter, write_whole};

/// Units of the file's time scale per picture, so that the duration of a picture is exact at every rate.
const UNITS: u32 = 512;

/// Encodes the pictures into the file of `settings`.
pub(super) fn write(settings: &VideoSettings, frames: &mut Frames) -> Result<(), VideoError> {
    Ok(write_whole(&settings.file, |writer| encode(settings, frames, writer))?)
}

fn encode(settings: &VideoSettings, frames: &mut Frames, writer: &mut WholeWriter) -> Result<(), String> {
    let mut h264 = H264::new(settings.size, settings.rate)?;
    let mut muxer = Mp4FileMuxer::new().map_err(words)?;
    let head = muxer.initial_boxes_bytes();
    writer.write_all(head).map_err(words)?;
    let mut offset = head.len() as u64;
    let timescale = NonZeroU32::new(settings.rate * UNITS).ok_or("the rate is zero")?;
    let mut is_first = true;
    while let Some(picture) = frames.next()? {
        let encoded = h264.encode(picture)?;
        writer.write_all(&encoded.bytes).map_err(words)?;
        let sample = Sample {
            track_kind: TrackKind::Video,
            sample_entry: is_first.then(|| sample_entry(&h264)).transpose()?,
            keyframe: encoded.is_key,
            timescale,
            duration: UNITS,
            composition_time_offset: None,
            data_offset: offset,
            data_size: encoded.bytes.len(),
        };
        muxer.append_sample(&sample).map_err(words)?;
        offset += encoded.bytes.len() as u64;
        is_first = false;
    }
    for (place, bytes) in muxer.finalize().map_err(words)?.offset_and_bytes_pairs() {
        writer.seek(SeekFrom::Start(place)).map_err(words)?;
        writer.write_all(bytes).map_err(words)?;
    }
    Ok(())
}

/// The description of the stream that players read before its first picture.
fn sample_entry(h264: &H264) -> Result<SampleEntry, String> {
    let Parameters { sequence, picture } = h264.parameters().clone();
    let &[_, profile, compatibility, level, ..] = sequence.as_slice() else {
        return Err("the encoder gave no parameters".to_owned());
    };
    let size = h264.size();
    let visual = VisualSampleEntryFields {
        data_reference_index: VisualSampleEntryFields::DEFAULT_DATA_REFERENCE_INDEX,
        width: size.x as u16,
        height: size.y as u16,
        horizresolution: VisualSampleEntryFields::DEFAULT_HORIZRESOLUTION,
        vertresolution: VisualSampleEntryFields::DEFAULT_VERTRESOLUTION,
        frame_count: VisualSampleEntryFields::DEFAULT_FRAME_COUNT,
        compressorname: VisualSampleEntryFields::NULL_COMPRESSORNAME,
        depth: VisualSampleEntryFields::DEFAULT_DEPTH,
    };
    let avcc_box = AvccBox {
        avc_profile_indication: profile,
        profile_compatibility: compatibility,
        avc_level_indication: level,
        // Lengths of units have four bytes.
        length_size_minus_one: Uint::new(3),
        sps_list: vec![sequence],
        pps_list: vec![picture],
        chroma_format: None,
        bit_depth_luma_minus8: None,
        bit_depth_chroma_minus8: None,
        sps_ext_list: Vec::new(),
    };
    Ok(SampleEntry::Avc1(Avc1Box { visual, avcc_box, unknown_boxes: Vec::new() }))
}

fn words(error: impl Display) -> String {
    error.to_string()
}
