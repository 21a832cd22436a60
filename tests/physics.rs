//! The water's physics on the device, step by step: what PHYSICS.md asks, on the smallest systems that show it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::{Arc, OnceLock};

use nearwater::fluid::{Scene, Settings, Simulation, Size, SmoothingKernel, Survey};
use nearwater::gpu::{Gpu, ShaderLibrary, read_buffer};
use nearwater::search::{CellEdge, search_named};

fn gpu() -> &'static Arc<Gpu> {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    GPU.get_or_init(|| Gpu::open(None, ShaderLibrary::embedded().checked()).unwrap())
}

fn settings(size: Size) -> Settings {
    Settings {
        search: search_named("brute_force").unwrap(),
        cell_edge: CellEdge::Radius,
        kernel: SmoothingKernel::WendlandC2,
        size,
        seed: 1,
    }
}

fn survey(simulation: &mut Simulation) -> Survey {
    gpu().submit(|encoder| simulation.record_survey(encoder));
    gpu().wait().unwrap();
    simulation.take_survey().unwrap()
}

#[test]
fn smoke() {
    let scene = Scene::load("dam_break").unwrap();
    let n: u32 = std::env::var("N").map_or(1000, |n| n.parse().unwrap());
    let mut s = settings(Size::Count(n));
    if let Ok(k) = std::env::var("K") { s.kernel = SmoothingKernel::ALL[k.parse::<usize>().unwrap()]; }
    if let Ok(k) = std::env::var("S") { s.search = search_named(&k).unwrap(); }
    let mut scene = scene;
    if let Ok(k) = std::env::var("A") { scene.material.viscosity = k.parse().unwrap(); }
    if let Ok(k) = std::env::var("R") { scene.material.radius_ratio = k.parse().unwrap(); }
    if let Ok(k) = std::env::var("C") { scene.material.sound_speed_factor = k.parse().unwrap(); }
    let mut simulation = Simulation::new(gpu(), &scene, &s).unwrap();
    println!("{:?}", simulation.resolution());
    gpu().submit(|encoder| simulation.record_densities(encoder, None));
    println!("{:?}", survey(&mut simulation));
    let m = 1.0;
    while simulation.time() < 2.5 {
        for _ in 0..5 {
        gpu().submit(|encoder| for _ in 0..20 { simulation.record_step(encoder, None) });
        gpu().wait().unwrap();
        }
        let s = survey(&mut simulation);
        let v: Vec<[f32; 4]> = read_buffer(gpu(), simulation.particles().velocities, simulation.particles().count as usize).unwrap();
        let x: Vec<[f32; 4]> = read_buffer(gpu(), simulation.particles().positions, simulation.particles().count as usize).unwrap();
        let d: Vec<[f32; 2]> = read_buffer(gpu(), simulation.particles().densities, simulation.particles().count as usize).unwrap();
        let n = v.len() as f32;
        let ke = v.iter().map(|v| 0.5 * m * (v[0]*v[0]+v[1]*v[1]+v[2]*v[2])).sum::<f32>() / n;
        let pe = x.iter().map(|x| 9.81 * x[1]).sum::<f32>() / n;
        let front = x.iter().map(|x| x[0]).fold(-9.0, f32::max);
        let comp = d.iter().map(|d| (d[0] / 1000.0 - 1.0).max(0.0)).sum::<f32>() / n;
        println!("t {:.2} ke {ke:.2} pe {pe:.2} sum {:.2} front {front:.2} rho {:.0}..{:.0} mean {:.0} comp {comp:.4} v {:.2} bad {} {} nb {:.1}", simulation.time(), ke + pe, s.lowest_density, s.highest_density, s.mean_density, s.highest_speed, s.not_finite, s.outside, s.pairs.neighbors as f32 / n);
    }
}
