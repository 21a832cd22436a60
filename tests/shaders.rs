//! Every search and fluid shader, in every variant the program can ask for, composes and validates with no device;
//! those of the primitives and the renderer are held the same way beside their own code.

use std::collections::BTreeSet;

use nearwater::fluid::SmoothingKernel;
use nearwater::gpu::{PairKernel, ShaderLibrary, ShaderVariant, interface_of};
use nearwater::search::{SEARCHES, SearchInfo};

const INTEGER_KERNELS: [&str; 3] = ["search/count_pairs.wgsl", "search/list_pairs.wgsl", "search/kernel_sum.wgsl"];
/// The fluid's pair kernels with the flags that each is composed with besides a smoothing kernel's.
const FLUID_KERNELS: [(&str, &[&[&str]]); 6] = [
    ("fluid/density.wgsl", &[&[], &["CONTINUITY"], &["CONTINUITY", "ADVANCE"]]),
    ("fluid/forces.wgsl", &[&[], &["XSPH"], &["COHESION"], &["XSPH", "COHESION"], &["CLOTH", "BOUNDARY"]]),
    ("fluid/pbf_lambda.wgsl", &[&[]]),
    ("fluid/pbf_correction.wgsl", &[&[], &["FIRST"], &["FIRST", "VISCOUS"]]),
    ("fluid/pbf_damping.wgsl", &[&[], &["VORTICITY"]]),
    ("fluid/pbf_confinement.wgsl", &[&[]]),
];

/// Those that need no smoothing kernel.
const OTHER_KERNELS: [(&str, &[&str]); 5] = [
    ("fluid/repulsion.wgsl", &[]),
    ("fluid/repulsion.wgsl", &["MOVES"]),
    ("fluid/repulsion.wgsl", &["BOUNDARY"]),
    ("fluid/repulsion.wgsl", &["MOVES", "BOUNDARY"]),
    ("fluid/cloth_contacts.wgsl", &["BOUNDARY"]),
];

/// Every pair kernel with every set of definitions it is composed with.
fn pair_kernels() -> Vec<(PairKernel, Vec<&'static str>)> {
    let vanishing = ["fluid/density.wgsl", "search/kernel_sum.wgsl"];
    let pair = |file| PairKernel { file, vanishes_at_radius: vanishing.contains(&file) };
    let plain = INTEGER_KERNELS.map(|file| (pair(file), Vec::new()));
    let smoothed = FLUID_KERNELS.into_iter().flat_map(|(file, sets)| {
        SmoothingKernel::ALL
            .into_iter()
            .flat_map(move |kernel| sets.iter().map(move |set| (pair(file), [*set, &[kernel.definition()]].concat())))
            .flat_map(|(pair, set)| {
                let with_boundary = [set.as_slice(), &["BOUNDARY"]].concat();
                [(pair, set), (pair, with_boundary)]
            })
    });
    let others = OTHER_KERNELS.map(|(file, definitions)| (pair(file), definitions.to_vec()));
    plain.into_iter().chain(smoothed).chain(others).collect()
}

/// The shaders of a search: its file and those of longer stems.
fn files_of_search(search: &SearchInfo) -> Vec<&'static str> {
    let own = format!("search/{}", search.name);
    let files: Vec<_> = ShaderLibrary::files().into_iter().filter(|file| file.starts_with(&own)).collect();
    assert!(files.contains(&format!("{own}.wgsl").as_str()), "shaders/{own}.wgsl is missing");
    files
}

/// Whether a shader takes sizes from the adapter. tests/searches.rs and tests/physics.rs compose such with the numbers
/// that there are, checked, and there is no list of them to keep here.
fn takes_numbers(file: &str) -> bool {
    ShaderLibrary::embedded().source(file).expect("an embedded file").contains("#{")
}

fn variants() -> Vec<(ShaderVariant, &'static [&'static str])> {
    let mut variants = Vec::new();
    let fixed = |file: &&str| !takes_numbers(file);
    for file in SEARCHES.iter().map(|search| files_of_search(search)[0]).filter(fixed) {
        variants.push((ShaderVariant::new(file), [].as_slice()));
        for (pair, definitions) in pair_kernels() {
            let mut traversal = ShaderVariant::new(file).with_pair(pair).with_flag("TRAVERSAL");
            traversal.definitions.extend(definitions.iter().map(|&name| (name, None)));
            variants.push((traversal.clone().with_flag("COUNT_PAIRS"), &["traverse"]));
            // A search that never deposits has no use for the flag, and nothing against it.
            variants.push((traversal.clone().with_flag("DEPOSITS").with_flag("FLOAT_ATOMICS"), &[]));
            variants.push((traversal, &["traverse"]));
        }
    }
    for (pair, definitions) in pair_kernels() {
        let mut finishing = ShaderVariant::new("search/finish_deposits.wgsl")
            .with_pair(pair)
            .with_flag("TRAVERSAL")
            .with_flag("DEPOSITS");
        finishing.definitions.extend(definitions.iter().map(|&name| (name, None)));
        variants.push((finishing.clone().with_flag("FLOAT_ATOMICS"), &["finish_deposits"]));
        variants.push((finishing, &["finish_deposits"]));
    }
    variants.push((ShaderVariant::new("fluid/reorder.wgsl").with_flag("CONTINUITY"), &["reorder"]));
    for (file, entry_point) in [("fluid/reorder.wgsl", &["reorder"]), ("fluid/pbf_predict.wgsl", &["predict"])] {
        variants.push((ShaderVariant::new(file).with_flag("BOUNDARY"), entry_point.as_slice()));
        variants.push((ShaderVariant::new(file), entry_point));
    }
    variants.push((ShaderVariant::new("fluid/flow.wgsl"), &["advance_emitters", "mark_parked", "emit_and_drain"]));
    let cloth = ShaderVariant::new("fluid/cloth_step.wgsl");
    variants.push((cloth.clone().with_flag("ADVANCE"), &["advance"]));
    variants.push((cloth.with_flag("HAND_OUT"), &["hand_out"]));
    variants.push((ShaderVariant::new("fluid/pressures.wgsl"), &["take_pressures"]));
    variants.push((ShaderVariant::new("fluid/bodies.wgsl").with_flag("MOVE"), &["move_bodies"]));
    variants.push((ShaderVariant::new("fluid/bodies.wgsl").with_flag("GATHER"), &["gather_loads"]));
    let velocity = ShaderVariant::new("fluid/pbf_velocity.wgsl");
    variants.push((velocity.clone().with_flag("DAMPED"), &["take_velocity"]));
    variants.push((velocity, &["take_velocity"]));
    let survey = ShaderVariant::new("fluid/survey.wgsl").with_number("PARTS", 256);
    variants.push((survey.clone().with_flag("BOUNDARY"), &["survey_parts", "survey_whole"]));
    variants.push((survey, &["survey_parts", "survey_whole"]));
    variants
}

#[test]
fn every_variant_composes_and_validates() {
    let library = ShaderLibrary::embedded();
    let variants = variants();
    assert!(variants.len() > 60, "only {} variants", variants.len());
    let mut failures = Vec::new();
    for (variant, entry_points) in &variants {
        match library.compose(variant) {
            Ok((module, info)) => {
                assert!(!module.entry_points.is_empty(), "{variant:?} has no entry point");
                for entry_point in *entry_points {
                    assert!(interface_of(&module, &info, entry_point).is_some(), "{variant:?} lacks {entry_point}");
                }
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_shader_of_a_search_or_the_fluid_is_left_out() {
    let library = ShaderLibrary::embedded();
    let mut reached = BTreeSet::new();
    let of_searches = SEARCHES.iter().flat_map(|search| files_of_search(search));
    let of_searches = of_searches.map(|file| ShaderVariant::new(file).with_pair(pair_kernels()[0].0));
    for variant in variants().into_iter().map(|(variant, _)| variant).chain(of_searches) {
        reached.extend(library.files_of(&variant).expect("the variant's files are there"));
    }
    let held_elsewhere = |file: &&str| file.starts_with("primitives/") || file.starts_with("render/");
    let left_out: Vec<_> =
        ShaderLibrary::files().into_iter().filter(|file| !held_elsewhere(file) && !reached.contains(file)).collect();
    assert!(left_out.is_empty(), "no variant reaches {left_out:?}");
}
