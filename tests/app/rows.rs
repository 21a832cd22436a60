//! Tests of the rows of the panel: tooltips, the way back to the default, and the filter.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, Missile, Report, UI_SCALES};
use nearwater::fluid::{
    Density, FOAM_SETTINGS, MATERIAL_SETTINGS, SOLVERS, SceneEdits, Size, SmoothingKernel, Solver, every_setting,
};
use nearwater::gpu::AdapterClass;
use nearwater::render::{ColorField, DrawStyle, SolidStyle, Theme};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions, search_named};

use super::fixture::{PanelApp, click, shows, window};

fn harness() -> Harness<'static, PanelApp> {
    let mut app = PanelApp::new(SearchInfo::default_for_scenes().name, 4_096, Report::default());
    let usual = app.controls.scene.usual_count(AdapterClass::Discrete);
    app.controls.settings.size = Size::Count(usual);
    for section in ["material", "foam"] {
        app.controls.panel.sections.insert(section.to_owned(), true);
    }
    app.accept(None);
    // Higher than everything in the panel, because clicks do not reach what is scrolled out of sight.
    window(app, [1280.0, 3600.0])
}

/// Whether a row or section offers the way back to its default.
fn differs(harness: &Harness<'_, PanelApp>, title: &str) -> bool {
    harness.query_by_label(&format!("Default of {title}")).is_some()
}

/// Brings the running simulation in line with the controls, and goes back to the default of a row.
fn reset(harness: &mut Harness<'_, PanelApp>, title: &str) {
    harness.state_mut().accept(None);
    harness.run();
    assert!(differs(harness, title), "there is no way back to the default of {title}");
    click(harness, &format!("Default of {title}"));
    assert!(!differs(harness, title), "{title} differs from its default after the reset");
}

#[test]
fn every_setting_of_a_solver_and_of_foam_returns_to_the_scene() {
    let mut harness = harness();
    for solver in SOLVERS {
        harness.state_mut().controls.change(|settings| settings.edits.solver = Solver::named(solver.name).ok());
        for &setting in solver.settings.iter().chain(FOAM_SETTINGS) {
            if setting.dial.is_none() || (setting.solver == "foam" && !(solver.is_fluid)) {
                continue;
            }
            harness.run();
            assert!(!differs(&harness, setting.title), "{} offers a reset although nothing changed", setting.path());
            let other = if setting.default < setting.most { setting.most } else { setting.least };
            harness.state_mut().controls.change(|settings| settings.edits.solver_settings.set(setting, other));
            reset(&mut harness, setting.title);
            assert_eq!(harness.state().controls.settings.edits.solver_settings.chosen(setting), None);
        }
    }
    reset(&mut harness, "Fluid");
    assert_eq!(harness.state().controls.settings.edits, SceneEdits::default());
}

#[test]
fn every_number_of_the_material_returns_to_the_scene_and_leaves_no_edit() {
    let mut harness = harness();
    for setting in MATERIAL_SETTINGS.iter().filter(|setting| setting.dial.is_some()) {
        let mut material = harness.state().controls.scene.material.clone();
        *(setting.number)(&mut material) += 0.25;
        harness.state_mut().controls.change(|settings| settings.edits.material = Some(material));
        reset(&mut harness, setting.title);
        assert_eq!(harness.state().controls.settings.edits.material, None, "{}", setting.name);
    }
    click(&mut harness, "integrated");
    let density = |harness: &Harness<'_, PanelApp>| {
        let controls = &harness.state().controls;
        controls.settings.edits.applied_to(&controls.scene).material.density
    };
    assert!(matches!(density(&harness), Density::Continuity { .. }));
    reset(&mut harness, "Density");
    assert_eq!(density(&harness), Density::Summation);
}

#[test]
fn search_size_kernel_and_their_settings_return_to_their_defaults() {
    let mut harness = harness();
    for &search in SEARCHES {
        harness.state_mut().controls.settings.search = search;
        for &option in search.options {
            for value in option.usual_values().into_iter().filter(|value| !option.is_default(*value)) {
                harness.state_mut().controls.change(|settings| settings.options.set(option, value));
                reset(&mut harness, option.title);
                assert_eq!(harness.state().controls.settings.options, SearchOptions::default());
            }
        }
        if search != SearchInfo::default_for_scenes() {
            reset(&mut harness, "Neighbor search");
        }
        assert_eq!(harness.state().controls.settings.search, SearchInfo::default_for_scenes());
    }
    harness.state_mut().controls.settings.size = Size::Radius(0.3);
    reset(&mut harness, "Particles");
    let controls = &harness.state().controls;
    assert_eq!(controls.settings.size, Size::Count(controls.scene.usual_count(AdapterClass::Discrete)));
    harness.state_mut().controls.settings.kernel = SmoothingKernel::CubicSpline;
    reset(&mut harness, "Smoothing kernel");
    assert_eq!(harness.state().controls.settings.kernel, SmoothingKernel::default());
}

#[test]
fn the_look_of_the_window_returns_to_its_defaults() {
    let mut harness = harness();
    let usual = DrawStyle::default_for(harness.state().controls.class);
    let other = DrawStyle::ALL.into_iter().find(|style| *style != usual).expect("another style");
    let controls = &mut harness.state_mut().controls;
    (controls.style, controls.theme, controls.solids) = (other, Theme::Light, SolidStyle::Hidden);
    controls.field = ColorField::all().nth(3).expect("a field");
    (controls.cell_edges, controls.vsync, controls.probes_open) = (true, false, true);
    (controls.badge, controls.ui_scale) = (Some(false), UI_SCALES[1]);
    controls.missile.is_ball = true;
    (controls.missile.size, controls.missile.relative_density) = (0.4, 3.0);
    for title in [
        "Water",
        "Surroundings",
        "Solids",
        "Color",
        "Edges of cells",
        "Wait for the display (vsync)",
        "Plots of probes",
        "Oracle badge",
        "Text size",
        "Shape",
        "Size",
        "Body density",
    ] {
        reset(&mut harness, title);
    }
    let controls = &harness.state().controls;
    assert_eq!((controls.style, controls.theme, controls.solids), (usual, Theme::Dark, SolidStyle::Mesh));
    assert_eq!(controls.field, ColorField::default());
    assert_eq!((controls.cell_edges, controls.vsync, controls.probes_open), (false, true, false));
    assert_eq!((controls.badge, controls.ui_scale, controls.missile), (None, UI_SCALES[0], Missile::default()));
}

#[test]
fn the_right_ends_of_all_rows_stay_in_the_panel() {
    let mut harness = harness();
    harness.state_mut().controls.theme = Theme::Light;
    for &search in SEARCHES {
        harness.state_mut().controls.settings.search = search;
        harness.state_mut().accept(None);
        harness.run();
        let reset = harness.get_by_label("Default of Surroundings").rect();
        assert!(reset.right() < 275.0, "{}: the button ends at {}", search.title, reset.right());
    }
}

#[test]
fn tooltips_name_unit_default_scene_file_and_command_line() {
    let mut harness = harness();
    harness.get_by_label("Kinematic viscosity").hover();
    harness.run_steps(60);
    for part in ["honey 0.01", "unit: m²/s", "the scene's", "material.kinematic_viscosity"] {
        assert!(shows(&harness, part), "the tooltip lacks {part:?}");
    }
    harness.get_by_label("Particles").hover();
    harness.run_steps(60);
    for part in ["in scene files: particles", "on the command line: --particles"] {
        assert!(shows(&harness, part), "the tooltip lacks {part:?}");
    }
}

#[test]
fn the_filter_shows_the_rows_with_every_word_and_nothing_else() {
    let mut harness = harness();
    for setting in every_setting().filter(|setting| setting.dial.is_some()) {
        let controls = &mut harness.state_mut().controls;
        controls.settings.edits.solver = Solver::named(setting.solver).ok();
        controls.panel.query = setting.path().to_uppercase();
        harness.run();
        harness.get_by_label(setting.title);
        assert!(!shows(&harness, "Pause") && !shows(&harness, "Edges of cells"), "{}", setting.path());
    }
    for (query, found, hidden) in [
        ("edges cells", "Edges of cells", "Surroundings"),
        ("m²/s material", "Kinematic viscosity", "Surface tension"),
        ("kernel", "Smoothing kernel", "Surroundings"),
        ("claws", search_named("claws").expect("a search").title, search_named("green").expect("a search").title),
        ("--theme", "Surroundings", "Solids"),
    ] {
        harness.state_mut().controls.panel.query = query.to_owned();
        harness.run();
        harness.get_by_label(found);
        assert!(harness.query_by_label(hidden).is_none(), "{query:?} shows {hidden}");
    }
    harness.state_mut().controls.panel.query = "no such thing".to_owned();
    harness.run();
    harness.get_by_label_contains("no control contains \"no such thing\"");
    harness.state_mut().controls.act(Action::Close, &Report::default());
    harness.run();
    harness.get_by_label("Pause Space");
    harness.get_by_label("Surroundings");
}

#[test]
fn rows_that_the_filter_finds_in_a_folded_section_work() {
    let mut harness = harness();
    harness.state_mut().controls.panel.sections.insert("display".to_owned(), false);
    harness.state_mut().controls.panel.query = "vsync".to_owned();
    harness.run();
    click(&mut harness, "Wait for the display (vsync)");
    assert!(!harness.state().controls.vsync);
    assert_eq!(harness.state().controls.panel.sections.get("display"), Some(&false), "the section stays folded");
}
