//! Every model that ships is read, written and read again.

use commonweal::Model;
use commonweal::files::TextLimits;
use commonweal::internals::io::{read_model, write_json, write_yaml};
use commonweal::internals::model::Mdp;
use commonweal::internals::number::parse_rational;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn models() -> Vec<(PathBuf, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/paper");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

fn read(path: &Path, text: &str) -> Mdp {
    read_model(text).unwrap_or_else(|error| panic!("{}", error.render(&path.display().to_string(), text)))
}

#[test]
fn every_model_of_the_paper_survives_both_writers() {
    let models = models();
    assert_eq!(models.len(), 7);
    for (path, text) in models {
        let model = read(&path, &text);
        let (mut yaml, mut json) = (Vec::new(), Vec::new());
        write_yaml(&model, &mut yaml).unwrap();
        write_json(&model, &mut json).unwrap();
        let (yaml, json) = (String::from_utf8(yaml).unwrap(), String::from_utf8(json).unwrap());
        assert_eq!(read(&path, &yaml), model, "{yaml}");
        assert_eq!(read(&path, &json), model, "{json}");
        serde_json::from_str::<serde_json::Value>(&json).expect("it is JSON");
    }
}

#[test]
fn the_hotel_is_what_the_paper_says() {
    let (path, text) = models().into_iter().find(|(path, _)| path.ends_with("hotel.yaml")).unwrap();
    let model = read(&path, &text);
    let number = |text| parse_rational(text).unwrap();
    assert_eq!(model.principals()[0].discount(), Some(&number("2/3")));
    assert_eq!(model.principals()[1].name, "bob");
    let choices: Vec<_> = model.states().flat_map(|state| model.choices(state)).collect();
    let rewards: Vec<_> = choices.iter().map(|&choice| model.rewards(choice)[1].clone()).collect();
    assert_eq!(rewards, [number("3"), number("-1"), number("6")]);
    assert_eq!(model.state_name(model.targets(choices[1])[0]), "s1");
}

#[test]
fn the_schema_knows_the_keys_of_the_format() {
    let schema = include_str!("../../../../schema/commonweal-model.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let keys = |pointer: &str| {
        let object = schema.pointer(pointer).unwrap();
        assert_eq!(object["additionalProperties"], false, "{pointer}");
        let mut keys: Vec<&str> = object["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        (keys.join(" "), object["required"].to_string())
    };
    assert_eq!(keys(""), ("description name principals start states step".into(), r#"["principals","states"]"#.into()));
    assert_eq!(keys("/$defs/principal/anyOf/1"), ("discount until weight".into(), r#"["discount"]"#.into()));
    assert_eq!(keys("/$defs/action"), ("reward to".into(), r#"["to"]"#.into()));
}

/// A text names thousands of approximated preferences in little room; the one too many is refused where it stands, before it is
/// approximated.
#[test]
fn a_model_of_more_approximated_preferences_than_are_allowed_is_refused_at_the_first_too_many() {
    let kinds = ["gamma: {mean: 4%, sd: 3%}", "rate: 3%", "hyperbolic: 0.1, hazard: 1%", "gamma: {mean: 3%, sd: 2%}"];
    let principals: String = kinds.iter().enumerate().map(|(p, kind)| format!("  p{p}: {{{kind}}}\n")).collect();
    let text = format!("principals:\n{principals}states: {{s: {{a: {{to: s}}}}}}\n");
    let within = |approximated| Model::from_yaml_within(&text, &TextLimits { approximated, ..TextLimits::default() });
    assert!(within(3).is_ok());
    let refused = within(2).expect_err("three are more than two");
    assert_eq!(refused.line, 5, "{refused}");
    assert!(refused.message.contains("more than 2 time preferences are approximated"), "{}", refused.message);
}

/// Three actions and two principals make six rewards.
#[test]
fn a_model_of_more_rewards_than_are_allowed_is_refused_with_their_number() {
    let (_, hotel) = models().into_iter().find(|(path, _)| path.ends_with("hotel.yaml")).unwrap();
    let within =
        |rewards| commonweal::Model::from_yaml_within(&hotel, &TextLimits { rewards, ..TextLimits::default() });
    assert!(within(6).is_ok());
    let refused = within(5).expect_err("six are more than five");
    assert!(refused.message.contains("3 actions and 2 principals, so 6 rewards"), "{}", refused.message);
    assert!(refused.help.is_some_and(|help| help.contains("command line")));
}
