//! Encodes pictures with `OpenH264`, and gives the stream's units in the form that MP4 files store.

use glam::UVec2;
use image::RgbaImage;
use openh264::encoder::{
    BitRate, EncodedBitStream, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::YUVSlices;
use openh264::{OpenH264API, Timestamp};

use super::yuv::Planes;

/// Bits per pixel and picture that the rate control aims at: water is fine-grained and moves everywhere.
const BITS_PER_PIXEL: f64 = 0.25;
/// Range of the quantizer. The upper end bounds the loss of quality, and takes precedence over the bits.
const QUANTIZER: (u8, u8) = (12, 24);
/// Seconds between pictures that are encoded without reference to others, to which players can jump.
const KEY_SECONDS: u32 = 2;
/// Number of times that a picture is offered to the encoder before it counts as refused.
const MOST_OFFERS: u32 = 10_000;

/// Types of units of a stream (ITU-T H.264, table 7-1).
const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;

/// The encoder of one video.
pub(super) struct H264 {
    encoder: Encoder,
    planes: Planes,
    rate: u32,
    count: u64,
    parameters: Parameters,
}

/// The parameter sets of a stream, without start codes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parameters {
    pub(super) sequence: Vec<u8>,
    pub(super) picture: Vec<u8>,
}

/// An encoded picture.
pub(super) struct Encoded {
    /// Its units, each after its length in four bytes; without parameter sets.
    pub(super) bytes: Vec<u8>,
    /// Whether it can be decoded without any other picture.
    pub(super) is_key: bool,
}

impl H264 {
    /// An encoder of pictures of `size` pixels at `rate` pictures per second.
    pub(super) fn new(size: UVec2, rate: u32) -> Result<Self, String> {
        let planes = Planes::new(size);
        let bits = BITS_PER_PIXEL * f64::from(planes.size.x) * f64::from(planes.size.y) * f64::from(rate);
        let config = EncoderConfig::new()
            .usage_type(UsageType::CameraVideoRealTime)
            .rate_control_mode(RateControlMode::Bitrate)
            .bitrate(BitRate::from_bps(bits as u32))
            .qp(QpRange::new(QUANTIZER.0, QUANTIZER.1))
            // Otherwise the encoder warns on standard error. A skipped picture is offered again, see `encode`.
            .skip_frames(true)
            // It leaves spots where water was seconds ago.
            .background_detection(false)
            .max_frame_rate(FrameRate::from_hz(rate as f32))
            .intra_frame_period(IntraFramePeriod::from_num_frames(KEY_SECONDS * rate))
            .vui(VuiConfig::bt709());
        let encoder =
            Encoder::with_api_config(OpenH264API::from_source(), config).map_err(|error| error.to_string())?;
        Ok(Self { encoder, planes, rate, count: 0, parameters: Parameters::default() })
    }

    /// Size of the encoded pictures, pixels.
    pub(super) fn size(&self) -> UVec2 {
        self.planes.size
    }

    /// The stream's parameter sets, known after the first picture.
    pub(super) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Encodes the next picture.
    pub(super) fn encode(&mut self, picture: &RgbaImage) -> Result<Encoded, String> {
        self.planes.convert(picture);
        let (width, height) = (self.planes.size.x as usize, self.planes.size.y as usize);
        let source = YUVSlices::new(
            (&self.planes.luma, &self.planes.blue, &self.planes.red),
            (width, height),
            (width, width / 2, width / 2),
        );
        let time = Timestamp::from_millis(1000 * self.count / u64::from(self.rate));
        // The encoder skips a picture while its model of a transmission buffer is full. The model drains with every
        // offer, so the picture is offered until it is taken.
        for _ in 0..MOST_OFFERS {
            let stream = self.encoder.encode_at(&source, time).map_err(|error| error.to_string())?;
            if stream.frame_type() != FrameType::Skip {
                let is_key = matches!(stream.frame_type(), FrameType::IDR | FrameType::I);
                let bytes = self.parameters.take_from(&stream);
                self.count += 1;
                return Ok(Encoded { bytes, is_key });
            }
        }
        Err(format!("the encoder refused picture {}", self.count))
    }
}

impl Parameters {
    /// Stores the parameter sets of a stream, and returns its other units, each after its length.
    fn take_from(&mut self, stream: &EncodedBitStream<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let layers = (0..stream.num_layers()).filter_map(|layer| stream.layer(layer));
        for layer in layers {
            for unit in (0..layer.nal_count()).filter_map(|unit| layer.nal_unit(unit)) {
                let unit = without_start_code(unit);
                match unit.first().map(|header| header & 0x1f) {
                    None => {}
                    Some(SEQUENCE_PARAMETERS) => unit.clone_into(&mut self.sequence),
                    Some(PICTURE_PARAMETERS) => unit.clone_into(&mut self.picture),
                    Some(_) => {
                        bytes.extend_from_slice(&(unit.len() as u32).to_be_bytes());
                        bytes.extend_from_slice(unit);
                    }
                }
            }
        }
        bytes
    }
}

/// A unit without the zeros and the one in front of it (ITU-T H.264, annex B).
fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
    if zeros >= 2 && unit.get(zeros) == Some(&1) { &unit[zeros + 1..] } else { unit }
}
