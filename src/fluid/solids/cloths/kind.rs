//! The kind of solid that is a single layer of mass points and springs.

use std::ops::Range;

use glam::{Vec2, Vec3};

use super::cloth::Cloth;
use super::device::{self, DeviceCloths};
use super::error::ClothError;
use super::sheet::{AUTOMATIC, Sheet};
use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::scene::limits::{MOST_ENTRIES, fault_of_count};
use crate::fluid::solids::{SampleInput, Sampled, SceneSolid, SolidInfo, Start, boundary_weights};
use crate::fluid::solvers::Limits;
use crate::fluid::{FluidError, SmoothingKernel};

/// Largest number of cloths.
const MOST_CLOTHS: usize = 64;
/// Largest number of particles of all cloths.
const MOST_PARTICLES: u64 = 1 << 24;
/// Largest number of substeps per step.
const MOST_SUBSTEPS: u32 = 32;

static INFO: SolidInfo = SolidInfo {
    name: "cloths",
    field: "cloths",
    takes_room: false,
    is_thin: true,
    in_plane: false,
    load: |_, _, _| Ok(()),
    fault,
    falling: |scene| {
        let corners = |cloth: &Cloth| {
            let (velocity, shares) = (cloth.velocity, [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE]);
            shares.map(|share| (cloth.place(share), velocity))
        };
        scene.solids.of::<Cloth>().iter().flat_map(corners).collect()
    },
    lightest_layer: lightest,
    lightest_body: |_| None,
    spacing_for,
    measured: |_| 0,
    obstacles: |_| Vec::new(),
    sample: |input| Ok(ClothSamples::new(input)?.map(|samples| Box::new(samples) as Box<dyn Sampled>)),
    check,
    notices,
    shaders: device::shaders,
    create: |input| Ok(Box::new(DeviceCloths::new(input)?)),
    // Their state is that of their particles.
    read_state: |_| Ok(None),
};

impl SceneSolid for Cloth {
    const KIND: &'static SolidInfo = &INFO;
}

fn fault(scene: &Scene) -> Option<(String, String)> {
    if scene.solids.of::<Cloth>().len() > MOST_CLOTHS {
        return Some(("cloths".to_owned(), format!("has more than {MOST_CLOTHS} entries; leave some out")));
    }
    if let Some(reason) = fault_of_count(scene.solids.of::<Cloth>().len(), MOST_ENTRIES) {
        return Some((INFO.field.to_owned(), reason));
    }
    scene.solids.of::<Cloth>().iter().enumerate().find_map(|(index, cloth)| {
        let (field, reason) = cloth.fault((scene.low, scene.high))?;
        Some((format!("cloths[{index}].{field}"), reason))
    })
}

/// The particles of all cloths, one cloth after the other, each in rows.
pub(super) struct ClothSamples {
    /// Initial positions, m, and velocities, m/s, of each cloth's particles.
    cloths: Vec<Vec<Start>>,
}

impl ClothSamples {
    fn new(input: &SampleInput<'_>) -> Result<Option<Self>, FluidError> {
        let sheets: Vec<Sheet<'_>> =
            input.scene.solids.of::<Cloth>().iter().map(|cloth| cloth.sheet(input.spacing)).collect();
        let count = sheets.iter().map(Sheet::count).sum();
        if count > MOST_PARTICLES {
            return Err(ClothError::TooManyParticles { count, limit: MOST_PARTICLES }.into());
        }
        let velocity = |sheet: &Sheet<'_>, held: bool| if held { Vec3::ZERO } else { sheet.cloth.velocity };
        let starts = |sheet: &Sheet<'_>| {
            sheet.points().zip(sheet.pinned()).map(|(point, held)| (point, velocity(sheet, held))).collect()
        };
        Ok((!sheets.is_empty()).then(|| Self { cloths: sheets.iter().map(starts).collect() }))
    }
}

impl Sampled for ClothSamples {
    fn starts(&self) -> Vec<Start> {
        self.cloths.iter().flatten().copied().collect()
    }

    fn count(&self) -> usize {
        self.cloths.iter().map(Vec::len).sum()
    }

    fn range_of(&self, number: usize) -> Option<Range<usize>> {
        let own = self.cloths.get(number)?.len();
        let first: usize = self.cloths[..number].iter().map(Vec::len).sum();
        Some(first..first + own)
    }

    fn weights(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        let of_cloth = |starts: &Vec<Start>| {
            let points: Vec<_> = starts.iter().map(|(place, _)| *place).collect();
            boundary_weights(&points, kernel, scene.dimensions, resolution)
        };
        self.cloths.iter().flat_map(of_cloth).collect()
    }
}

/// The spacing at which a scene of cloths only has approximately `asked` particles.
fn spacing_for(scene: &Scene, asked: u32) -> Option<f32> {
    if scene.solids.of::<Cloth>().is_empty() {
        return None;
    }
    let area: f32 = scene.solids.of::<Cloth>().iter().filter(|cloth| cloth.counts.is_none()).map(Cloth::area).sum();
    let counted =
        scene.solids.of::<Cloth>().iter().filter(|cloth| cloth.counts.is_some()).map(|cloth| cloth.sheet(1.0));
    Some(if area > 0.0 {
        (area / asked as f32).sqrt() / AUTOMATIC
    } else {
        // The particle distance of the finest cloth, which is then also its distance from solids.
        counted.map(|sheet| sheet.spacing()).fold(f32::INFINITY, f32::min)
    })
}

/// Mass per area of the lightest cloth in a fluid, kg/m².
fn lightest(scene: &Scene) -> Option<f32> {
    let densities = scene.solids.of::<Cloth>().iter().filter(|_| scene.has_fluid()).map(|cloth| cloth.density);
    densities.min_by(f32::total_cmp)
}

/// Notices for the user about the cloths, in whole sentences.
fn notices(scene: &Scene, resolution: &Resolution) -> Vec<String> {
    let leak = |(number, cloth): (usize, &Cloth)| {
        let (apart, spacing) = (cloth.sheet(resolution.spacing).spacing(), resolution.spacing);
        let sentence = || {
            format!(
                "cloths[{number}] lets water through, because its particles are {apart:.4} m apart and those of the \
                 water {spacing:.4} m"
            )
        };
        (apart > spacing && scene.has_fluid()).then(sentence)
    };
    scene.solids.of::<Cloth>().iter().enumerate().filter_map(leak).collect()
}

/// Refuses cloths that cannot be simulated at the resolution or with the solver.
fn check(scene: &Scene, resolution: &Resolution, limits: &Limits) -> Result<(), FluidError> {
    let (radius, spacing) = (resolution.support_radius, resolution.spacing);
    for (number, cloth) in scene.solids.of::<Cloth>().iter().enumerate() {
        let sheet = cloth.sheet(spacing);
        let refuse = |field: &str, reason: String| {
            Err(FluidError::Solid { solid: format!("{}[{number}].{field}", INFO.field), reason })
        };
        if sheet.thickness() > radius {
            return refuse(
                "thickness",
                format!(
                    "is {} m, and must be at most the support radius, {radius} m; use a smaller thickness, more cloth \
                     particles or a larger radius",
                    sheet.thickness()
                ),
            );
        }
        let whole = f64::from(resolution.time_step);
        let needed = (whole / sheet.longest_substep()).ceil();
        if needed > f64::from(MOST_SUBSTEPS) {
            // Slightly smaller, so that the rounded figures of the message are valid.
            let share = 0.99 * (f64::from(MOST_SUBSTEPS) * sheet.longest_substep() / whole).powi(2);
            let most = |stiffness: f32| share * f64::from(stiffness);
            return refuse(
                "stretch",
                format!(
                    "the springs would need {needed} substeps in each step of {whole:.2e} s, and at most \
                     {MOST_SUBSTEPS} are possible; use at most {:.3} N/m of stretch, {:.3} of shear and {:.3} of bend, \
                     or make the cloth heavier or of fewer particles",
                    most(cloth.stretch),
                    most(cloth.shear),
                    most(cloth.bend)
                ),
            );
        }
        if !scene.has_fluid() {
            continue;
        }
        let lightest = limits.lightest_cloth;
        if cloth.density < lightest {
            return refuse(
                "density",
                format!(
                    "is {} kg/m², and {} is unstable with cloths lighter than a layer of its particles, {lightest:.3} \
                     kg/m²; make the cloth heavier, use more particles, or another solver",
                    cloth.density,
                    scene.solver.label()
                ),
            );
        }
        let near = Vec3::splat(0.5 * spacing);
        let in_block = |point: Vec3| {
            scene
                .blocks
                .iter()
                .position(|block| point.cmpgt(block.low - near).all() && point.cmplt(block.high + near).all())
        };
        if let Some(block) = sheet.points().find_map(in_block) {
            return refuse("corner", format!("it passes through the fluid of blocks[{block}]; move them apart"));
        }
    }
    Ok(())
}
