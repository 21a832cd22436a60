//! Reduces a failing input to a small one: delta debugging (Zeller and Hildebrandt 2002, algorithm *ddmin*).

/// Removes items as long as `fails` holds for those that remain, and returns these. Afterwards no single item can be
/// left out, unless `most_trials` calls did not suffice. `fails` must hold for `items`.
pub fn fewest<T: Clone>(items: &[T], most_trials: u32, mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = items.to_vec();
    let mut parts = 2;
    let mut trials = 0;
    while kept.len() >= 2 {
        let length = kept.len().div_ceil(parts);
        let starts: Vec<usize> = (0..kept.len()).step_by(length).collect();
        let part = |start: usize| start..(start + length).min(kept.len());
        let alone = starts.iter().map(|&start| (2, kept[part(start)].to_vec()));
        let without = starts.iter().map(|&start| {
            let remaining = [&kept[..start], &kept[part(start).end..]].concat();
            ((parts - 1).max(2), remaining)
        });
        let smaller = alone.chain(without).find(|(_, candidate)| {
            trials += 1;
            trials <= most_trials && candidate.len() < kept.len() && fails(candidate)
        });
        match smaller {
            Some((next_parts, candidate)) => (parts, kept) = (next_parts, candidate),
            None if parts >= kept.len() || trials > most_trials => break,
            None => parts = (parts * 2).min(kept.len()),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_items_that_a_failure_needs_remain() {
        let items: Vec<u32> = (0..1_000).collect();
        let needs = |wanted: &'static [u32]| move |some: &[u32]| wanted.iter().all(|item| some.contains(item));
        assert_eq!(fewest(&items, 10_000, needs(&[17])), [17]);
        assert_eq!(fewest(&items, 10_000, needs(&[3, 500, 999])), [3, 500, 999]);
        assert_eq!(fewest(&items, 10_000, |some| some.len() >= 7).len(), 7);
        assert_eq!(fewest(&items, 10_000, |some| some.len() == 1_000).len(), 1_000, "nothing can be left out");
    }

    #[test]
    fn it_stops_after_the_given_number_of_trials_with_a_failing_input() {
        let items: Vec<u32> = (0..1_000).collect();
        let mut calls = 0;
        let kept = fewest(&items, 12, |some| {
            calls += 1;
            some.contains(&3) && some.contains(&999)
        });
        assert!(calls <= 12 && kept.contains(&3) && kept.contains(&999) && kept.len() < 1_000);
    }
}
