//! Validates every shader in every variant that the program can compile, without running any.
//!
//! The variants come from the code that creates passes: on a device that composes and validates shaders without running
//! them (`Gpu::validating`), every solver, instrument, primitive and view of the laboratory is created in every
//! configuration, over a search that represents all searches in all configurations. The compiled variants are then
//! compared with the flags in the shader files, each of which must have been both set and unset, and with the variants
//! that the scenes of the program compile.

mod every_search;
mod fluids;
mod others;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use every_search::EVERY_SEARCH;
use nearwater::fluid::{Scene, SmoothingKernel, Solver};
use nearwater::gpu::{AdapterClass, Capabilities, Gpu, ShaderLibrary, ShaderVariant};
use nearwater::render::shader_variants;
use nearwater::search::SearchInfo;

type Compiled = BTreeSet<(ShaderVariant, &'static str)>;

fn validating(pretend: impl FnOnce(&mut Capabilities)) -> Arc<Gpu> {
    Gpu::validating(ShaderLibrary::embedded(), pretend).expect("the tests need a Vulkan adapter")
}

/// Adapters that need different shaders, besides the adapter of this machine.
const ADAPTERS: [fn(&mut Capabilities); 7] = [
    |adapter| adapter.features.remove(wgpu::Features::SHADER_FLOAT32_ATOMIC),
    |adapter| {
        adapter.features.remove(wgpu::Features::SUBGROUP);
        adapter.subgroup_sizes = None;
    },
    |adapter| with_subgroups(adapter, (4, 4), 32),
    |adapter| with_subgroups(adapter, (8, 32), 32),
    |adapter| with_subgroups(adapter, (32, 32), 48),
    |adapter| with_subgroups(adapter, (64, 64), 64),
    // The smallest limits that WebGPU guarantees.
    |adapter| {
        with_subgroups(adapter, (16, 16), 16);
        adapter.limits.max_compute_invocations_per_workgroup = 256;
        adapter.limits.max_compute_workgroup_size_x = 256;
    },
];

fn with_subgroups(adapter: &mut Capabilities, sizes: (u32, u32), kilobytes: u32) {
    adapter.features.insert(wgpu::Features::SUBGROUP | wgpu::Features::SHADER_FLOAT32_ATOMIC);
    adapter.subgroup_sizes = Some(sizes);
    adapter.class = AdapterClass::Discrete;
    adapter.limits.max_compute_invocations_per_workgroup = 1024;
    adapter.limits.max_compute_workgroup_size_x = 1024;
    adapter.limits.max_compute_workgroup_storage_size = kilobytes * 1024;
}

/// The variants that were compiled on a device. The device is kept alive, because `every_search` identifies it by its
/// address.
struct Rehearsal {
    _gpu: Arc<Gpu>,
    compiled: Compiled,
    /// The errors of what could not be created.
    refusals: Vec<String>,
}

impl Rehearsal {
    /// Creates the passes of the given scenes and everything else that compiles shaders.
    fn new(gpu: Arc<Gpu>, scenes: &[Scene], kernels: &[SmoothingKernel]) -> Self {
        let mut refusals = Vec::new();
        for scene in scenes {
            for &kernel in kernels {
                refusals.extend(fluids::rehearse(&gpu, scene, &EVERY_SEARCH, kernel).err());
            }
        }
        others::rehearse(&gpu);
        refusals.dedup();
        Self { compiled: gpu.compiled_kernels(), refusals, _gpu: gpu }
    }
}

/// Everything on the adapter of this machine, created once.
fn everything() -> &'static Rehearsal {
    static EVERYTHING: OnceLock<Rehearsal> = OnceLock::new();
    EVERYTHING.get_or_init(|| Rehearsal::new(validating(|_| ()), &fluids::scenes(), &SmoothingKernel::ALL))
}

/// Returns the first scene of each solver.
fn one_scene_a_solver() -> Vec<Scene> {
    let scenes = fluids::scenes();
    Solver::all().map(|solver| scenes.iter().find(|scene| scene.solver == solver).expect("a scene").clone()).collect()
}

/// The variants for the other adapters. Their shaders differ only in the searches, so that one scene per solver is
/// sufficient.
fn elsewhere() -> &'static [Rehearsal] {
    static ELSEWHERE: OnceLock<Vec<Rehearsal>> = OnceLock::new();
    ELSEWHERE.get_or_init(|| {
        let scenes = one_scene_a_solver();
        ADAPTERS.map(|pretend| Rehearsal::new(validating(pretend), &scenes, &[SmoothingKernel::default()])).into()
    })
}

#[test]
fn every_variant_that_the_program_compiles_is_valid() {
    let Rehearsal { compiled, refusals, .. } = everything();
    assert!(refusals.is_empty(), "{}", refusals.join("\n"));
    assert!(compiled.len() > 1_000, "only {} shaders were compiled", compiled.len());
}

#[test]
fn other_adapters_get_valid_variants_that_fit_them() {
    for (number, Rehearsal { compiled, refusals, .. }) in elsewhere().iter().enumerate() {
        assert!(refusals.is_empty(), "adapter {number}: {}", refusals.join("\n"));
        assert!(compiled.len() > 100, "adapter {number}: only {} shaders were compiled", compiled.len());
    }
}

/// Flags that every variant of a file sets, because all searches that import the shared file set them.
const ALWAYS_SET: [(&str, &str); 1] = [("common/visit_chunk.wgsl", "DEPOSITS")];

#[test]
fn every_file_is_compiled_with_every_flag_set_and_unset() {
    let library = ShaderLibrary::embedded();
    let compute = elsewhere().iter().chain([everything()]).flat_map(|rehearsal| &rehearsal.compiled);
    let variants: BTreeSet<_> = compute.map(|(variant, _)| variant.clone()).chain(shader_variants()).collect();
    // For each file the flags that its variants set, and those that they leave unset.
    let mut met: BTreeMap<&str, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for variant in &variants {
        for file in library.files_of(variant).expect("its files are there") {
            let Ok(text) = library.source(file) else { continue };
            let (set, unset) = met.entry(file).or_default();
            for flag in flags_of(&text) {
                let is_set = variant.definitions.contains_key(flag);
                (if is_set { &mut *set } else { &mut *unset }).insert(flag.to_owned());
            }
        }
    }
    let mut missing = Vec::new();
    for file in ShaderLibrary::files() {
        let Some((set, unset)) = met.get(file) else {
            missing.push(format!("no variant reaches {file}"));
            continue;
        };
        for flag in flags_of(&library.source(file).expect("an embedded file")) {
            for (kind, flags) in [("set", set), ("unset", unset)] {
                let is_excused = kind == "unset" && ALWAYS_SET.contains(&(file, flag));
                if !flags.contains(flag) && !is_excused {
                    missing.push(format!("{file} is never compiled with {flag} {kind}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The flags that a shader's text tests with `#ifdef` and `#ifndef`.
fn flags_of(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("#ifdef ").or_else(|| line.trim().strip_prefix("#ifndef ")))
        .map(str::trim)
        .collect()
}

#[test]
fn the_scenes_of_the_program_compile_no_other_variants() {
    let gpu = validating(|_| ());
    let search = SearchInfo::default_for_scenes();
    for name in Scene::names() {
        for solver in Solver::all() {
            let mut scene = Scene::load(name).expect("it is embedded");
            scene.solver = solver;
            // A solver may refuse a scene that was written for another solver.
            let _ = fluids::rehearse(&gpu, &scene, search, SmoothingKernel::default());
        }
    }
    let compiled = gpu.compiled_kernels();
    assert!(compiled.len() > 20, "only {} shaders were compiled", compiled.len());
    let unknown: Vec<_> = compiled.difference(&everything().compiled).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}
