//! Tests of checks that are ordered from a window: the prepared example, files of a user, and refusals with clear
//! messages.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common;
use nearwater::laboratory::check::patterns::Kind;
use nearwater::laboratory::check::{CheckBench, CheckFindings, CheckOrder, CheckSource};

/// Calls the bench as every frame does, until the order has been carried out.
fn outcome_of(bench: &mut CheckBench, order: &Arc<CheckOrder>) -> CheckFindings {
    let gpu = common::gpu();
    let begun = Instant::now();
    loop {
        let findings = bench.follow(&gpu, Some(order));
        if findings.outcome.as_ref().is_some_and(|(number, _)| *number == order.number) {
            return findings;
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "the order was not carried out: {findings:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_example_is_missing_every_pair_across_a_coarse_face_along_x() {
    let mut bench = CheckBench::default();
    let order = Arc::new(CheckOrder::example(1));
    let gpu = common::gpu();
    let first = bench.follow(&gpu, Some(&order));
    assert_eq!((first.under_way, first.outcome.is_some()), (Some(1), false), "the first frame does not wait");
    let (_, outcome) = outcome_of(&mut bench, &order).outcome.expect("the order was carried out");
    let list = outcome.unwrap_or_else(|error| panic!("{error}"));
    let mine = &list.mine;
    assert_eq!((mine.missing.count, mine.extra.count, mine.double.count), (522, 0, 0));
    let pattern = mine.pattern(Kind::Missing).expect("a pattern");
    assert!(pattern.to_string().starts_with("all 522 missing pairs cross a face between cells along x"), "{pattern}");
    assert!(pattern.certainty > 0.999, "{}", pattern.certainty);
    for pair in &mine.missing.pairs {
        let [first, second] = mine.cells_of(pair).expect("the search has cells");
        assert_ne!(first.x, second.x);
        let close = list.around(list.points[pair.first as usize], mine.domain.support_radius);
        assert!(close.contains(&list.points[pair.second as usize]) && close.len() < 60);
    }
    assert_eq!(list.overview().len(), list.points.len());
    // The same order is not carried out twice, and nothing happens without an order.
    assert_eq!(bench.follow(&gpu, Some(&order)).under_way, None);
    let without = bench.follow(&gpu, None);
    assert!(without.under_way.is_none() && without.outcome.is_some());
}

#[test]
fn files_are_read_and_bad_files_are_refused_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the file can be written");
        path
    };
    let points = file("points.csv", "x,y,z\n0,0,0\n0.1,0,0\n0.9,0.5,0.5\n");
    let neighbors = file("neighbors.csv", "i,j\n1,2\n1,3\n");
    let order = |number, one_based, radius| {
        let (points, neighbors) = (points.clone(), neighbors.clone());
        let source = CheckSource::Files { points, neighbors, offsets: None, classes: None, one_based };
        Arc::new(CheckOrder { source, radius, bounds: None, ..CheckOrder::example(number) })
    };
    let mut bench = CheckBench::default();
    let (_, outcome) = outcome_of(&mut bench, &order(1, true, 0.2)).outcome.expect("an outcome");
    let list = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((list.mine.right, list.mine.extra.count), (1, 1), "1 and 3 are not neighbors");
    let (_, outcome) = outcome_of(&mut bench, &order(2, false, 0.2)).outcome.expect("an outcome");
    let refusal = outcome.expect_err("there is no particle 3 when counting from 0");
    assert!(refusal.contains("neighbors.csv") && refusal.contains("1-based"), "{refusal}");
    let (_, outcome) = outcome_of(&mut bench, &order(3, true, -1.0)).outcome.expect("an outcome");
    assert!(outcome.expect_err("a negative radius").contains("positive"), "the message names the problem");
}
