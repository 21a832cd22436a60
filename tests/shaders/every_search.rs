//! A search that represents all searches: it combines every pair kernel that it is given with the traversals of every
//! registered search in every configuration.

use std::collections::BTreeSet;
use std::sync::Mutex;

use glam::Vec3;
use nearwater::gpu::{Gpu, PairKernel, Pass};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{
    BoundPairKernel, Cells, CreateSearch, Domain, Instrument, NeighborSearch, SearchError, SearchInfo, SearchInput,
    SearchOptions, search_named,
};

/// The registry entry, for any code that takes a search.
pub static EVERY_SEARCH: SearchInfo = SearchInfo {
    name: "every_search",
    title: "Every search",
    paper: "none",
    idea: "Combines each pair kernel with every search.",
    options: &[],
    needs: &[],
    repeatable: false,
    paper_bytes: |_, _| 0,
    published: &[],
    explanation: None,
    create: CreateSearch::new(|gpu, input| {
        let fenns = search_named("fenns")?;
        Ok(Box::new(EverySearch {
            stands_for: fenns.create(gpu, SearchInput { options: &SearchOptions::default(), ..input })?,
            positions: input.positions.clone(),
            particle_count: input.particle_count,
            domain: input.domain,
        }))
    }),
};

/// What has already been combined with every search, for each device by its address.
static JOINED: Mutex<BTreeSet<(usize, Joined)>> = Mutex::new(BTreeSet::new());

/// A pair kernel, its definitions, and a number for the instrument of the traversal; `None` for the build.
type Joined = Option<(PairKernel, Vec<(&'static str, Option<u32>)>, u8)>;

struct EverySearch {
    /// The search that answers everything except the requests for passes.
    stands_for: Box<dyn NeighborSearch>,
    positions: wgpu::Buffer,
    particle_count: u32,
    domain: Domain,
}

impl EverySearch {
    /// Creates the passes of all searches, once for each combination with a pair kernel and an instrument.
    fn join(
        &self,
        gpu: &Gpu,
        joined: Joined,
        make: impl Fn(&dyn NeighborSearch) -> Result<Vec<Pass>, SearchError>,
    ) -> Result<Vec<Pass>, SearchError> {
        let is_build = joined.is_none();
        let is_new =
            JOINED.lock().expect("no other test has panicked").insert((std::ptr::from_ref(gpu).addr(), joined));
        if is_new {
            // Lists are read alike with every search, and written in two ways.
            let written_by: &[&str] = if is_build { &["hoetzlein", "fenns"] } else { &["hoetzlein"] };
            let listed = written_by.iter().map(|name| search_named(name).map(SearchConfiguration::listed));
            let listed = listed.collect::<Result<Vec<_>, _>>()?;
            for configuration in SearchConfiguration::all().into_iter().chain(listed) {
                let (positions, particle_count) = (&self.positions, self.particle_count);
                let input =
                    SearchInput { positions, particle_count, domain: self.domain, options: &configuration.options };
                make(&*configuration.search.create(gpu, input)?)?;
            }
        }
        make(&*self.stands_for)
    }
}

impl NeighborSearch for EverySearch {
    fn info(&self) -> &'static SearchInfo {
        &EVERY_SEARCH
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        self.join(gpu, None, |search| search.build_passes(gpu))
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        let number = match instrument {
            None => 0,
            Some(Instrument::Count(_)) => 1,
            Some(Instrument::Record(_)) => 2,
        };
        // The fluid lists divided particles only for searches that gather, and this one also stands for such.
        let divided = gpu.storage::<u32>("divided particles", u64::from(self.particle_count) + 2)?;
        let joined = Some((pair.kernel, pair.definitions.to_vec(), number));
        self.join(gpu, joined, |search| {
            // A binding of the sorted positions is replaced by that of the search with which the pair kernel is
            // combined.
            let own =
                |&(name, buffer)| (name, if name == "sorted_positions" { search.sorted_positions() } else { buffer });
            let listed = ("divided_particles", &divided);
            let is_listed = pair.buffers.iter().any(|(name, _)| *name == listed.0);
            let buffers: Vec<_> = pair.buffers.iter().map(own).chain((!is_listed).then_some(listed)).collect();
            search.traversal_passes(gpu, BoundPairKernel { buffers: &buffers, ..pair }, instrument)
        })
    }

    fn particle_count(&self) -> u32 {
        self.particle_count
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        self.stands_for.sorted_positions()
    }

    /// Some searches deposit, and need the buffers.
    fn deposits(&self) -> bool {
        true
    }

    fn cells(&self) -> Option<Cells> {
        self.stands_for.cells()
    }

    fn bytes(&self) -> u64 {
        self.stands_for.bytes()
    }
}

/// Creates this search over particles without a fluid.
pub fn over_particles(gpu: &Gpu, particle_count: u32) -> Box<dyn NeighborSearch> {
    let positions = gpu.storage::<[f32; 4]>("positions", particle_count.into()).expect("memory");
    let domain = Domain::new(Vec3::ZERO, Vec3::splat(4.0), 1.0).expect("a box");
    let input = SearchInput { positions: &positions, particle_count, domain, options: &SearchOptions::default() };
    EVERY_SEARCH.create(gpu, input).unwrap_or_else(|error| panic!("{error}"))
}
