//! Brings pictures and their simulated times together, where a window delivers pictures some frames late.

use std::collections::BTreeMap;

use image::RgbaImage;

/// Pairs the pictures of a window with the simulated times of the frames that they show. Both are known by the frame's
/// number, and either may come first and out of order.
#[derive(Debug, Default)]
pub struct Pairing {
    times: BTreeMap<u64, f64>,
    pictures: BTreeMap<u64, RgbaImage>,
}

impl Pairing {
    /// Frame `number` shows the simulated time `time`, s.
    pub fn shows(&mut self, number: u64, time: f64) {
        self.times.insert(number, time);
    }

    /// The picture of frame `number`; `None` if it could not be taken.
    pub fn arrived(&mut self, number: u64, picture: Option<RgbaImage>) {
        match picture {
            Some(picture) => drop(self.pictures.insert(number, picture)),
            None => drop(self.times.remove(&number)),
        }
    }

    /// Number of frames whose picture has not arrived.
    pub fn missing(&self) -> usize {
        self.times.keys().filter(|number| !self.pictures.contains_key(number)).count()
    }

    /// The next picture with its time, once all earlier ones were taken.
    pub fn take(&mut self) -> Option<(f64, RgbaImage)> {
        let (&number, _) = self.times.first_key_value()?;
        let picture = self.pictures.remove(&number)?;
        Some((self.times.remove(&number)?, picture))
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::Pairing;

    #[test]
    fn pictures_leave_in_the_order_of_their_frames_with_their_times() {
        let mut pairing = Pairing::default();
        let picture = |number: u8| Some(RgbaImage::from_pixel(1, 1, Rgba([number; 4])));
        let take = |pairing: &mut Pairing| pairing.take().map(|(time, picture)| (time, picture.get_pixel(0, 0).0[0]));
        pairing.shows(0, 0.5);
        pairing.shows(1, 0.6);
        pairing.shows(2, 0.7);
        pairing.arrived(1, picture(1));
        assert_eq!((take(&mut pairing), pairing.missing()), (None, 2));
        pairing.arrived(0, picture(0));
        assert_eq!(take(&mut pairing), Some((0.5, 0)));
        assert_eq!(take(&mut pairing), Some((0.6, 1)));
        // A picture that could not be taken holds nothing up, and one may come before its time.
        pairing.arrived(2, None);
        pairing.arrived(3, picture(3));
        assert_eq!(take(&mut pairing), None);
        pairing.shows(3, 0.8);
        assert_eq!((take(&mut pairing), pairing.missing()), (Some((0.8, 3)), 0));
    }
}
