//! Every search and fluid shader, in every variant the program can ask for, composes and validates with no device;
//! those of the primitives and the renderer are held the same way beside their own code.

use std::collections::BTreeSet;

use nearwater::fluid::SmoothingKernel;
use nearwater::gpu::{PairKernel, ShaderLibrary, ShaderVariant, interface_of};
use nearwater::search::{SEARCHES, SearchInfo};

const INTEGER_KERNELS: [&str; 3] = ["search/count_pairs.wgsl", "search/list_pairs.wgsl", "search/kernel_sum.wgsl"];
/// The fluid's pair kernels with the flags that each is composed with besides a smoothing kernel's.
const FLUID_KERNELS: [(&str, &[&[&str]]); 6] = [
    ("fluid/density.wgsl", &[&[]]),
    ("fluid/forces.wgsl", &[&[], &["XSPH"], &["COHESION"], &["XSPH", "COHESION"]]),
    ("fluid/pbf_lambda.wgsl", &[&[]]),
    ("fluid/pbf_correction.wgsl", &[&[], &["FIRST"]]),
    ("fluid/pbf_damping.wgsl", &[&[], &["VORTICITY"]]),
    ("fluid/pbf_confinement.wgsl", &[&[]]),
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
    plain.into_iter().chain(smoothed).collect()
}

/// A search's shader with the numbers and flags without which it does not compose: sizes that its Rust side takes from
/// the adapter (whose range is tested there), and whether it deposits in every traversal.
fn shader_of(search: &SearchInfo, file: &'static str) -> (ShaderVariant, bool) {
    let mut shader = ShaderVariant::new(file);
    let (numbers, deposits): (&[_], bool) = match search.name {
        "fenns" => (
            &[
                ("WORKGROUP_SIZE", 64),
                ("SUBGROUP_CAPACITY", 64),
                ("CELL_CAPACITY", 4_096),
                ("SORT_SHARE", 4),
                ("CHUNK_CAPACITY", 128),
                ("LOCAL_CAPACITY", 512),
                ("BATCH", 2),
            ],
            true,
        ),
        _ => (&[], false),
    };
    shader.definitions.extend(numbers.iter().map(|&(name, number)| (name, Some(number))));
    (shader, deposits)
}

fn variants() -> Vec<(ShaderVariant, &'static [&'static str])> {
    let mut variants = Vec::new();
    for search in SEARCHES {
        // A search's shader has the stem of its Rust file, which is its name.
        let file = ShaderLibrary::files()
            .into_iter()
            .find(|file| *file == format!("search/{}.wgsl", search.name))
            .unwrap_or_else(|| panic!("shaders/search/{}.wgsl is missing", search.name));
        let (shader, deposits) = shader_of(search, file);
        variants.push((shader.clone(), [].as_slice()));
        for (pair, definitions) in pair_kernels() {
            let mut traversal = shader.clone().with_pair(pair).with_flag("TRAVERSAL");
            traversal.definitions.extend(definitions.iter().map(|&name| (name, None)));
            if deposits {
                traversal = traversal.with_flag("DEPOSITS");
                variants.push((traversal.clone().with_flag("COUNT_PAIRS").with_flag("FLOAT_ATOMICS"), &["traverse"]));
            }
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
    for (file, entry_point) in [("fluid/reorder.wgsl", &["reorder"]), ("fluid/pbf_predict.wgsl", &["predict"])] {
        variants.push((ShaderVariant::new(file).with_flag("BOUNDARY"), entry_point.as_slice()));
        variants.push((ShaderVariant::new(file), entry_point));
    }
    variants.push((ShaderVariant::new("fluid/flow.wgsl"), &["advance_emitters", "emit_and_drain"]));
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
    for (variant, _) in variants() {
        reached.extend(library.files_of(&variant).expect("the variant's files are there"));
    }
    let held_elsewhere = |file: &&str| file.starts_with("primitives/") || file.starts_with("render/");
    let left_out: Vec<_> =
        ShaderLibrary::files().into_iter().filter(|file| !held_elsewhere(file) && !reached.contains(file)).collect();
    assert!(left_out.is_empty(), "no variant reaches {left_out:?}");
}
