//! Costs: principals with rewards to be minimised, by `--weight` and `--minimise`.

use crate::program::Folder;

/// A queue: serving costs 2 a step and keeps it short, idling costs nothing and lets it grow.
const QUEUE: &str = "principals: {money: 9/10, waiting: 1/2}
states:
  short: {serve: {reward: {money: 2, waiting: 1}, to: short}, idle: {reward: {waiting: 1}, to: long}}
  long: {serve: {reward: {money: 2, waiting: 5}, to: short}, idle: {reward: {waiting: 5}, to: long}}
";

fn exact(folder: &Folder, args: &[&str]) -> (String, String, String) {
    let solution = folder.run(&[&["solve"], args, &["--json"]].concat()).done().json();
    let state = &solution["states"][solution["start"].as_str().unwrap()];
    let text = |value: &serde_json::Value| value["exact"].as_str().unwrap().to_owned();
    (text(&state["welfare"]), text(&state["payoffs"]["money"]), text(&state["payoffs"]["waiting"]))
}

#[test]
fn what_is_minimised_is_as_small_as_it_can_be() {
    let folder = Folder::new();
    folder.write("queue.yaml", QUEUE);
    let of = |args: &[&str]| exact(&folder, &[&["queue.yaml"], args].concat());
    // As rewards, serving for ever is worth 20, and waiting in the long queue 1 + 5/2 + 5/4 + … = 6.
    assert_eq!(of(&["--weight", "waiting=0"]).1, "20");
    assert_eq!(of(&["--weight", "money=0"]).2, "6");
    // As costs, idling for ever is free, and waiting costs at least 1 + 1/2 + … = 2.
    let (welfare, money, _) = of(&["--minimise", "money", "--weight", "waiting=0"]);
    assert_eq!((welfare.as_str(), money.as_str()), ("0", "0"));
    let (welfare, _, waiting) = of(&["--minimise", "waiting", "--weight", "money=0"]);
    assert_eq!((welfare.as_str(), waiting.as_str()), ("-2", "2"));
    // The same as a weight of −1, in the file or on the command line.
    let both = of(&["--minimise", "money", "--minimise", "waiting"]);
    assert_eq!(both, of(&["--weight", "money=-1", "--weight", "waiting=-1"]));
    folder.write(
        "costs.yaml",
        QUEUE
            .replace("9/10", "{discount: 9/10, weight: -1}")
            .replace("waiting: 1/2", "waiting: {discount: 1/2, weight: -1}"),
    );
    assert_eq!(both, exact(&folder, &["costs.yaml"]));
    // The same for a file of another tool.
    folder.run(&["convert", "queue.yaml", "queue.drn", "--quiet"]).done();
    let discounts = ["--discount", "money=9/10", "--discount", "waiting=1/2"];
    assert_eq!(
        both,
        exact(&folder, &[&["queue.drn", "--minimise", "money", "--minimise", "waiting"], &discounts[..]].concat())
    );
    folder.run(&["convert", "queue.drn", "queue.umb", "--quiet"]).done();
    assert_eq!(
        both,
        exact(&folder, &[&["queue.umb", "--weight", "money=-1", "--weight", "waiting=-1"], &discounts[..]].concat())
    );
    // In a format without weights, the weights are multiplied into the rewards.
    folder
        .run(&["convert", "queue.yaml", "negative.drn", "--quiet", "--minimise", "money", "--minimise", "waiting"])
        .done();
    assert_eq!(both.0, exact(&folder, &[&["negative.drn"], &discounts[..]].concat()).0);
}

#[test]
fn costs_are_checked_evaluated_and_searched_for_with_the_same_options() {
    let folder = Folder::new();
    folder.write("queue.yaml", QUEUE);
    let costs = ["--minimise", "money", "--minimise", "waiting"];
    folder.run(&[&["solve", "queue.yaml", "--certificate", "c", "--strategy", "s.json"], &costs[..]].concat()).done();
    assert_eq!(
        folder.run(&[&["check", "queue.yaml", "c", "--quiet"], &costs[..]].concat()).done().stdout,
        "accepted\n"
    );
    assert_eq!(folder.run(&["check", "queue.yaml", "c", "--quiet"]).code, 1);
    let (welfare, ..) = exact(&folder, &[&["queue.yaml"], &costs[..]].concat());
    let evaluated = folder.run(&[&["evaluate", "queue.yaml", "s.json", "--json"], &costs[..]].concat()).done().json();
    assert_eq!(evaluated["states"]["short"]["welfare"]["exact"], welfare.as_str());
    let found = folder.run(&[&["positional", "queue.yaml", "--json"], &costs[..]].concat()).done().json();
    assert!(found["upper"].as_f64().unwrap() <= 0.0, "{found}");
}

#[test]
fn weights_that_fit_nobody_are_refused() {
    let folder = Folder::new();
    folder.write("queue.yaml", QUEUE);
    let cases: [(&[&str], &str); 6] = [
        (&["--weight", "mony=-1"], "--weight: there is no principal `mony`; did you mean `money`?"),
        (&["--minimise", "nobody"], "--minimise: there is no principal `nobody`"),
        (&["--weight", "money"], "--weight: `money` is not NAME=VALUE, such as time=-1"),
        (&["--weight", "money=x"], "--weight"),
        (&["--weight", "money=1", "--weight", "money=2"], "--weight: `money` is given twice"),
        (&["--weight", "money=1", "--minimise", "money"], "--minimise: `money` has a weight already"),
    ];
    for (args, words) in cases {
        folder.run(&[&["solve", "queue.yaml"], args].concat()).refused(&[words]);
    }
    folder.run(&["convert", "queue.yaml", "queue.drn", "--quiet"]).done();
    folder.run(&["convert", "queue.drn", "queue.umb", "--minimise", "money"]).refused(&["holds no weights"]);
}

#[test]
fn costs_are_shown_as_costs_everywhere() {
    let folder = Folder::new();
    folder.write("queue.yaml", QUEUE);
    let costs = ["--minimise", "money", "--minimise", "waiting"];
    let run = |args: &[&str]| folder.run(&[args, &costs[..]].concat()).done().stdout;
    // Idling for ever: nothing is paid, and waiting costs 1 + 5/2 + 5/4 + … = 6. Its own best is 2, by serving.
    let report = run(&["solve", "queue.yaml"]);
    assert!(report.starts_with("Optimal welfare from short: −6, a total cost of 6\n"), "{report}");
    let has_row = |words: &[&str]| report.lines().any(|line| line.split_whitespace().eq(words.iter().copied()));
    assert!(has_row(&["money", "(cost)", "0.9", "0", "0", "0"]), "{report}");
    assert!(has_row(&["waiting", "(cost)", "0.5", "6", "0", "+4"]), "{report}");
    assert!(report.contains("of a cost, less is better)\n") && !report.contains("weight"), "{report}");
    assert!(run(&["solve", "queue.yaml", "--compare"]).contains("money (cost)  waiting (cost)"));
    run(&["solve", "queue.yaml", "--strategy", "s.json", "--csv", "s.csv", "--report", "s.html"]);
    assert!(folder.read("s.csv").contains("counting,short,cost,waiting,1/2,-1,6,"));
    assert!(folder.read("s.html").contains("waiting (cost)"));
    for args in
        [&["evaluate", "queue.yaml", "s.json"][..], &["simulate", "queue.yaml", "s.json"], &["plot", "queue.yaml"]]
    {
        assert!(run(args).contains("waiting (cost)"), "{args:?}");
    }
    let outlook = run(&["solve", "queue.yaml", "--outlook"]);
    assert!(outlook.contains("\n  waiting (cost)  ") && outlook.contains("to waiting (cost)"), "{outlook}");
    let explained = run(&["solve", "queue.yaml", "--explain"]);
    assert!(explained.contains("so that costs count negatively"), "{explained}");
    let swept = ["sweep", "queue.yaml", "--vary", "waiting=1/4..3/4", "--csv", "w.csv", "--out", "w.svg"];
    run(&swept);
    assert!(
        folder.read("w.csv").starts_with("index,discount,")
            && folder.read("w.csv").contains(",cost money,cost waiting,")
    );
    assert!(folder.read("w.svg").contains("cost of waiting") && !folder.read("w.svg").contains("payoff of"));
    let fair = ["fair", "queue.yaml", "--rule", "max-min", "--weight", "waiting=-1"];
    let told = folder.run(&fair).done().stdout;
    assert!(told.contains("This rule takes costs for gains"), "{told}");
    assert_eq!(folder.run(&[&fair[..], &["--json"]].concat()).done().json()["costs_as_gains"][0], "waiting");
    let minimised = folder.run(&["fair", "queue.yaml", "--rule", "max-min", "--minimise", "waiting"]).done();
    assert_eq!(minimised.stdout, told);
    // Only costs are called costs, and with both costs and rewards no total cost is shown.
    let mixed = folder.run(&["solve", "queue.yaml", "--minimise", "waiting"]).done().stdout;
    assert!(mixed.contains("waiting (cost)") && !mixed.contains("money (cost)") && !mixed.contains("total cost"));
    let weighted = folder.run(&["solve", "queue.yaml", "--weight", "waiting=-2"]).done().stdout;
    assert!(weighted.contains("weight") && weighted.contains("of a cost, less is better"), "{weighted}");
}

/// A script that adds up payoffs needs the weights, and a user the command that continues a pattern.
#[test]
fn documents_have_the_weights_and_commands_can_be_typed() {
    let folder = Folder::new();
    folder.write(
        "base.yaml",
        "principals: {attacks: {discount: 0.9, weight: -1}, gold: 0.8}\nstates:\n  base:\n    scout: {reward: {attacks: 1/3, gold: 2}, to: {base: 0.5, mine: 0.5}}\n    hide: {to: base}\n  mine: {dig: {reward: {gold: 5, attacks: 1}, to: base}}\n",
    );
    let document = folder.run(&["solve", "base.yaml", "--json"]).done().json();
    assert_eq!(document["weights"], serde_json::json!({"attacks": "-1", "gold": "1"}));
    let plain = folder.run(&["solve", "base.yaml", "--weight", "attacks=1", "--json"]).done().json();
    assert!(plain.get("weights").is_none(), "{plain}");
    let front = folder.run(&["front", "base.yaml"]).done().stdout;
    let words: Vec<&str> = front.split_whitespace().collect();
    let typed = words.windows(2).find(|pair| pair[0] == "--weight").expect("the pattern has no constant factors");
    assert!(typed[1].starts_with("attacks=-"), "{front}");
    folder.run(&["solve", "base.yaml", typed[0], typed[1]]).done();
}

/// Of a cost less is better on the front: the same model with negative rewards has the same front, with payoffs negated.
#[test]
fn the_front_takes_costs_for_costs() {
    let model = |sign: &str, weight: &str| {
        let care = format!(
            "care: {{reward: {{payer: {sign}5, patient: 3}}, to: well}}, wait: {{reward: {{payer: {sign}1}}, to: ill}}"
        );
        format!(
            "principals: {{payer: {{discount: 2/3, weight: {weight}}}, patient: 1/3}}\nstates:\n  ill: {{{care}}}\n  well: {{rest: {{reward: {{patient: 1}}, to: well}}, check: {{reward: {{payer: {sign}2, patient: 2}}, to: well}}}}\n"
        )
    };
    let folder = Folder::new();
    folder.write("costs.yaml", model("", "-1"));
    folder.write("gains.yaml", model("-", "1"));
    let front = |name: &str| {
        let text = folder.run(&["front", name, "--json"]).done().stdout;
        let front: serde_json::Value = serde_json::from_str(&text).unwrap();
        let exact = |value: &serde_json::Value| value["exact"].as_str().unwrap().to_owned();
        let vertices = front["vertices"].as_array().unwrap().iter();
        let all: Vec<[String; 3]> = vertices
            .map(|vertex| {
                let weight = vertex["weights"]["payer"].as_str().unwrap().to_owned();
                [exact(&vertex["payoffs"]["payer"]), exact(&vertex["payoffs"]["patient"]), weight]
            })
            .collect();
        (all, front["complete"].clone(), front["pattern"]["ratio"].clone())
    };
    let (costs, gains) = (front("costs.yaml"), front("gains.yaml"));
    let negated = |text: &String| match text.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None if text == "0" => text.clone(),
        None => format!("-{text}"),
    };
    let mirrored: Vec<[String; 3]> =
        gains.0.iter().map(|[payer, patient, weight]| [negated(payer), patient.clone(), negated(weight)]).collect();
    assert!(costs.0.len() > 2, "{costs:?}");
    assert_eq!((costs.0, costs.1, costs.2), (mirrored, gains.1, gains.2));
    let table = folder.run(&["front", "costs.yaml", "--out", "front.svg"]).done().stdout;
    assert!(table.contains("payer (cost)"), "{table}");
    let picture = folder.read("front.svg");
    assert!(picture.contains("cost of payer") && !picture.contains("max-min"), "{picture}");
}
