//! Collects what is to be measured, and sends what was found.

use bevy::ecs::entity::EntityHashMap;
use bevy::math::Affine3A;
use bevy::prelude::*;

use super::marks::{WaterLevel, WaterLevelChanged, WaterSensor, WaterSplash, WaterSplashes};
use crate::app::WaterReport;
use crate::app::water::{IsWater, MainWater, RunningWater, report_of, water_of};
use crate::fluid::{EventFindings, EventRequest, SensorBox};

/// What is to be measured in each water.
#[derive(Resource, Default)]
pub(in crate::app) struct EventBook(EntityHashMap<EventRequest>);

impl EventBook {
    /// What is to be measured in a water.
    pub(in crate::app) fn of(&self, water: Entity) -> EventRequest {
        self.0.get(&water).cloned().unwrap_or_default()
    }
}

/// Collects sensors and waters with splashes, after transforms were propagated.
pub(in crate::app) fn collect_sensors(
    mut book: ResMut<EventBook>,
    sensors: Query<(Entity, &WaterSensor, &GlobalTransform)>,
    splashes: Query<(Entity, &WaterSplashes), IsWater>,
    waters: Query<(Entity, &GlobalTransform), IsWater>,
    parents: Query<&ChildOf>,
) {
    book.0.clear();
    for (water, &WaterSplashes { least_speed }) in &splashes {
        let request = book.0.entry(water).or_default();
        (request.splashes, request.least_speed) = (true, least_speed);
    }
    for (entity, sensor, place) in &sensors {
        match water_of(entity, sensor.water, &waters, &parents) {
            Ok((water, of_water)) => {
                let place = of_water.affine().inverse() * place.affine() * Affine3A::from_scale(sensor.size);
                // A flat box contains nothing, and has no inverse.
                if place.is_finite() && place.matrix3.determinant() != 0.0 {
                    let sensor = SensorBox { key: entity.to_bits(), place };
                    book.0.entry(water).or_default().sensors.push(sensor);
                }
            }
            Err(trouble) => warn_once!("the sensor {entity} measures nothing: {trouble}"),
        }
    }
    // In the order of their entities, so that the same ones are measured where there are too many.
    book.0.values_mut().for_each(|request| request.sensors.sort_by_key(|sensor| sensor.key));
}

type WaterWithReport<'a> = (Entity, &'a GlobalTransform, Option<&'a RunningWater>, Has<MainWater>);

/// Turns the findings that have arrived into levels and messages.
pub(in crate::app) fn tell_events(
    waters: Query<WaterWithReport<'_>, IsWater>,
    main: Option<Res<WaterReport>>,
    mut sensors: Query<(&WaterSensor, &GlobalTransform, &mut WaterLevel)>,
    mut levels: MessageWriter<WaterLevelChanged>,
    mut splashes: MessageWriter<WaterSplash>,
) {
    for (water, of_water, running, is_main) in &waters {
        let Some(report) = report_of(running, is_main, main.as_deref()) else { continue };
        let findings = std::mem::take(&mut report.lock().events);
        let scale = of_water.scale().x;
        for EventFindings { time, sensors: readings, splashes: begun } in findings {
            for reading in readings {
                let Some(entity) = Entity::try_from_bits(reading.key) else { continue };
                let Ok((sensor, place, mut level)) = sensors.get_mut(entity) else { continue };
                let edges = (place.scale() * sensor.size).abs();
                let volume = f64::from(edges.element_product()) / f64::from(scale).powi(3);
                let filled = (reading.volume / volume).min(1.0) as f32;
                let is_first = level.time.replace(time).is_none();
                (level.filled, level.level) = (filled, filled * edges.y);
                if is_first {
                    level.told = filled;
                } else if (filled - level.told).abs() > sensor.step {
                    let before = std::mem::replace(&mut level.told, filled);
                    levels.write(WaterLevelChanged { sensor: entity, filled, before, level: level.level });
                }
            }
            splashes.write_batch(begun.into_iter().map(|splash| WaterSplash {
                water,
                place: of_water.transform_point(splash.place),
                velocity: scale * (of_water.rotation() * splash.velocity),
                speed: scale * splash.speed,
                particles: splash.particles,
            }));
        }
    }
}
