//! The limits card: what a device offers, what each search requires, and the limits of the sliders that follow from
//! that.

use std::fmt::Write as _;

use crate::format::{bytes, count};
use crate::gpu::{AdapterClass, Capabilities};
use crate::search::{Met, SEARCHES, SearchInfo, Support};

/// Largest number of particles that the sliders offer, whatever the device can hold; `--particles` accepts more.
pub const MOST_OFFERED: u64 = 8_388_608;

/// A property that the device reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitsFact {
    /// Name of the property.
    pub name: &'static str,
    /// Its value, with a unit.
    pub value: String,
    /// What it means for the program, in a sentence.
    pub meaning: &'static str,
}

/// The requirements of a search on this device.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchLimits {
    /// The search.
    pub search: &'static SearchInfo,
    /// Its requirements, and how the device meets them.
    pub needs: Vec<(&'static str, Met)>,
}

impl SearchLimits {
    fn new(search: &'static SearchInfo, capabilities: &Capabilities) -> Self {
        let needs = search.needs.iter().map(|need| (need.what, (need.of)(capabilities))).collect();
        Self { search, needs }
    }

    /// The worst support among its requirements.
    pub fn support(&self) -> Support {
        self.needs.iter().map(|(_, met)| met.support).max().unwrap_or_default()
    }

    /// The requirement that allows the fewest particles, with that number.
    fn tightest(&self) -> Option<(u64, &Met)> {
        let limits = self.needs.iter().filter_map(|(_, met)| Some((met.most_particles?, met)));
        limits.min_by_key(|(most, _)| *most)
    }

    /// Largest number of particles of this search on this device, according to the limits of the device; more are
    /// refused.
    pub fn most_particles(&self) -> Option<u64> {
        self.tightest().map(|(most, _)| most)
    }

    /// Upper end of a slider of the particle count.
    pub fn last_offered(&self) -> u64 {
        self.most_particles().map_or(MOST_OFFERED, |most| most.min(MOST_OFFERED))
    }

    /// Explains the upper end of the slider in a sentence or two.
    pub fn why_it_ends(&self) -> String {
        let title = self.search.title;
        match self.tightest() {
            Some((most, met)) if most <= MOST_OFFERED => {
                format!("{title} is limited to {} particles on this device. {}", count(most), met.words)
            }
            Some((most, met)) => format!(
                "The slider ends at {} particles; --particles accepts more. With {title}, this device can hold {}: {}",
                count(MOST_OFFERED),
                count(most),
                lower_first(&met.words)
            ),
            None => format!("The slider ends at {} particles; --particles accepts more.", count(MOST_OFFERED)),
        }
    }
}

/// A sentence with a lower-case first letter, to be written after a colon.
fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// What a device offers, and what each search requires.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitsCard {
    /// Properties that the device reports.
    pub facts: Vec<LimitsFact>,
    /// Every search, in the order of the registry.
    pub searches: Vec<SearchLimits>,
}

impl LimitsCard {
    /// The card of a device.
    pub fn new(capabilities: &Capabilities) -> Self {
        let searches = SEARCHES.iter().map(|search| SearchLimits::new(search, capabilities)).collect();
        Self { facts: facts(capabilities), searches }
    }

    /// The requirements of one search.
    pub fn of(&self, search: &SearchInfo) -> Option<&SearchLimits> {
        self.searches.iter().find(|limits| *limits.search == *search)
    }

    /// The whole card as text, for a report or a message.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for fact in &self.facts {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}: {}", fact.name, fact.value);
        }
        for search in &self.searches {
            let most = search.most_particles().map(|most| format!(", at most {} particles", count(most)));
            let _ =
                writeln!(text, "\n{}: {}{}", search.search.title, search.support().label(), most.unwrap_or_default());
            for (what, met) in &search.needs {
                let _ = writeln!(text, "  {what}: {}. {}", met.support.label(), met.words);
            }
        }
        text
    }
}

fn facts(capabilities: &Capabilities) -> Vec<LimitsFact> {
    let limits = &capabilities.limits;
    let has = |feature| if capabilities.features.contains(feature) { "yes" } else { "no" }.to_owned();
    let workgroup_memory = bytes(limits.max_compute_workgroup_storage_size.into());
    let subgroups = match capabilities.subgroup_sizes {
        None => "no subgroup operations".to_owned(),
        Some((smallest, largest)) if smallest == largest => smallest.to_string(),
        Some((smallest, largest)) => format!("{smallest} to {largest}"),
    };
    let driver = if capabilities.driver.is_empty() { "not reported by the backend" } else { &capabilities.driver };
    let class = match capabilities.class {
        AdapterClass::Software => "software: the CPU emulates a graphics card".to_owned(),
        class => class.to_string(),
    };
    let fact = |name, value, meaning| LimitsFact { name, value, meaning };
    vec![
        fact("Adapter", capabilities.name.clone(), "The processor that runs the simulation and the rendering."),
        fact(
            "Driver",
            driver.to_owned(),
            "The driver and its version; another version can change every measured time.",
        ),
        fact(
            "Backend",
            format!("{:?}", capabilities.backend),
            "The graphics interface that runs the shaders on the adapter.",
        ),
        fact(
            "Class",
            class,
            "Discrete adapters have their own memory; on other adapters, scenes start with fewer particles.",
        ),
        fact("Subgroup size", subgroups, "Invocations that run in lockstep and can exchange values without memory."),
        fact(
            "Workgroup memory",
            workgroup_memory,
            "Fast memory that the invocations of a workgroup share: it holds counters, chunks and tiles.",
        ),
        fact(
            "Invocations of a workgroup",
            format!("at most {}", count(limits.max_compute_invocations_per_workgroup.into())),
            "Invocations that can synchronize with each other.",
        ),
        fact(
            "Largest binding",
            bytes(capabilities.largest_binding_bytes()),
            "Size of the largest array that a shader can access: it limits particles, cells and lists.",
        ),
        fact(
            "Storage buffers of a pass",
            count(limits.max_storage_buffers_per_shader_stage.into()),
            "Arrays that one pass reads or writes.",
        ),
        fact(
            "Workgroups along an axis",
            count(limits.max_compute_workgroups_per_dimension.into()),
            "Longer dispatches are distributed over two axes.",
        ),
        fact(
            "Timestamps",
            has(wgpu::Features::TIMESTAMP_QUERY),
            "With timestamps, every pass is timed on the device; without them, only whole frames are timed.",
        ),
        fact(
            "Float atomics",
            has(wgpu::Features::SHADER_FLOAT32_ATOMIC),
            "With float atomics, several workgroups can add to one sum directly.",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::imagined::{SUBGROUP_SIZES, adapter};
    use crate::search::Need;

    /// A large discrete adapter that supports everything.
    fn large() -> Capabilities {
        let mut large = adapter(Some((32, 32)), 49_152);
        large.features = wgpu::Features::SHADER_FLOAT32_ATOMIC | wgpu::Features::TIMESTAMP_QUERY;
        large.limits.max_storage_buffer_binding_size = 4 << 30;
        large.limits.max_buffer_size = 4 << 30;
        large.limits.max_compute_invocations_per_workgroup = 1_024;
        large.limits.max_compute_workgroup_size_x = 1_024;
        large
    }

    #[test]
    fn a_large_adapter_meets_every_requirement_and_a_minimal_one_needs_workarounds() {
        for search in LimitsCard::new(&large()).searches {
            assert_eq!(search.support(), Support::Met, "{:?}", search.needs);
        }
        let least = LimitsCard::new(&adapter(None, 16_384));
        let worked_around = least.searches.iter().filter(|search| search.support() == Support::WorkedAround).count();
        // All searches except brute force, which neither sorts nor counts.
        assert_eq!(worked_around, SEARCHES.len() - 1);
        let none = LimitsCard::new(&adapter(Some((32, 32)), 512));
        assert!(none.searches.iter().any(|search| search.support() == Support::Unmet), "512 bytes are too few");
    }

    #[test]
    fn every_search_states_its_requirements_on_every_adapter() {
        for sizes in SUBGROUP_SIZES {
            for memory in [16_384, 32_768, 65_536] {
                let card = LimitsCard::new(&adapter(sizes, memory));
                assert_eq!(card.searches.len(), SEARCHES.len());
                for search in &card.searches {
                    assert!(search.most_particles().is_some(), "{} names no limit of particles", search.search.name);
                    for (what, met) in &search.needs {
                        assert!(met.words.ends_with('.') && met.words.len() > 20, "{what}: {}", met.words);
                        // Bins for subgroups of 4 to 128 lanes need more workgroup memory than these adapters have.
                        let is_extreme = sizes == Some((4, 128)) && memory <= 32_768;
                        let is_met = met.support != Support::Unmet;
                        assert!(is_met || is_extreme, "{what} on {sizes:?}, {memory}: {}", met.words);
                    }
                }
                assert!(card.text().contains("Workgroup memory: "));
            }
        }
    }

    #[test]
    fn a_slider_ends_at_the_binding_limit_and_explains_it() {
        let mut small = large();
        small.limits.max_storage_buffer_binding_size = 1 << 20;
        let needs: &[&Need] = SEARCHES[1].needs;
        assert!(!needs.is_empty());
        for search in LimitsCard::new(&small).searches {
            let most = search.most_particles().expect("a limit");
            assert_eq!(search.last_offered(), most, "{}", search.search.name);
            let why = search.why_it_ends();
            assert!(why.contains(&count(most)), "{why}");
        }
        let green = LimitsCard::new(&small).of(SEARCHES[1]).expect("it is listed").clone();
        assert_eq!(green.most_particles(), Some((1 << 20) / 16), "one position takes 16 bytes");
        let green = LimitsCard::new(&large()).of(SEARCHES[1]).expect("it is listed").clone();
        assert_eq!(green.last_offered(), MOST_OFFERED);
        assert!(green.why_it_ends().contains("--particles"), "{}", green.why_it_ends());
    }
}
