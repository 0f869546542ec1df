//! The interface that other programs rely on: addresses, statuses, documents.

use super::serving::{HOTEL, PATIENT, Serving};
use crate::program::{Folder, paper};
use serde_json::json;
use std::io::Write;

#[test]
fn the_page_opens_with_the_hotel_solved_inside_and_loads_nothing_from_elsewhere() {
    let server = Serving::new(&[]);
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let (_, rest) = page.text().split_once("id=\"opened\">").expect("what it opens with");
    let opened: serde_json::Value =
        serde_json::from_str(rest.split_once("</script>").expect("an end").0).expect("JSON");
    assert_eq!(opened["name"], "hotel");
    assert_eq!(opened["view"]["solution"]["states"]["s0"]["welfare"]["exact"], "127/9");
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("http"), "{policy}");
    for asset in ["/app.js", "/style.css", "/icon.svg"] {
        let found = server.get(asset);
        assert_eq!(found.status, 200, "{asset}");
        let elsewhere = found.text().replace("http://www.w3.org/", "").replace("https://github.com/", "");
        assert!(!elsewhere.contains("http://") && !elsewhere.contains("https://"), "{asset}");
    }
}

#[test]
fn solve_answers_with_the_bytes_that_the_program_prints() {
    let server = Serving::new(&[]);
    for name in ["hotel", "example-3", "three-sat"] {
        let model = std::fs::read_to_string(paper(&format!("{name}.yaml"))).expect("a model");
        let expected = std::fs::read_to_string(paper(&format!("{name}.expected.json"))).expect("its answer");
        let answer = server.post("/api/solve", &json!({"model": model}));
        assert_eq!((answer.status, answer.text()), (200, expected.as_str()), "{name}");
    }
}

/// Comparisons, explanations, maps, fronts and fair lotteries too, of models with costs, schedules and rates.
#[test]
fn every_document_has_the_bytes_that_the_program_prints() {
    let server = Serving::new(&PATIENT);
    let folder = Folder::new();
    let study =
        |name: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/case-studies/").to_owned() + name + ".yaml";
    let hotel = paper("hotel.yaml").display().to_string();
    let compare = |path: &str, asked: &serde_json::Value, model: &str, args: &[&str]| {
        let mut body = asked.clone();
        body["model"] = std::fs::read_to_string(model).expect("a model").into();
        let answer = server.post(path, &body);
        assert_eq!(answer.status, 200, "{path} of {model}");
        // What only a page draws comes last.
        let document = match answer.text().split_once(",\n  \"drawn\":") {
            Some((document, _)) => format!("{document}\n}}\n"),
            None => answer.text().to_owned(),
        };
        let printed = folder.run(&[&[args[0], model, "--json"], &args[1..]].concat()).done().stdout;
        assert!(document == printed, "{path} of {model}: {document:.300} … and {printed:.300} …");
    };
    let details = json!({"compare": true, "explain": true});
    for model in [&hotel, &study("two-rates-in-health-care")] {
        compare("/api/solve", &details, model, &["solve", "--compare", "--explain"]);
    }
    compare("/api/solve", &json!({"explain": true}), &study("green-book-investment"), &["solve", "--explain"]);
    let axes = json!({"x": "alice", "y": "bob", "least": "0", "greatest": "0.9", "resolution": 4});
    let ranges = ["--x-range", "0..0.9", "--y-range", "0..0.9", "--resolution", "4"];
    compare("/api/map", &axes, &hotel, &[&["map", "--x", "alice", "--y", "bob"], &ranges[..]].concat());
    let axes = json!({"x": "alice.rate", "y": "bob.rate", "least": "0.4", "greatest": "0.9", "resolution": 3});
    let ranges = ["--x-range", "40%..90%", "--y-range", "40%..90%", "--resolution", "3"];
    compare("/api/map", &axes, &hotel, &[&["map", "--x", "alice.rate", "--y", "bob.rate"], &ranges[..]].concat());
    compare("/api/front", &json!({"vertices": 20}), &hotel, &["front", "--vertices", "20"]);
    for rule in ["max-min", "nash", "kalai-smorodinsky"] {
        compare("/api/fair", &json!({"rule": rule}), &hotel, &["fair", "--rule", rule]);
    }
}

#[test]
fn every_key_of_the_contract_is_taken() {
    let server = Serving::new(&[]);
    let body = json!({"model": HOTEL, "format": "yaml", "discounts": {"bob": "1/2"}, "from": "s0", "gap": "1e-9", "exact": true});
    let answer = server.post("/api/solve", &body);
    assert_eq!(answer.status, 200);
    let document = answer.json();
    assert_eq!(document["format"], "commonweal-solution/1");
    assert_eq!(document["states"]["s0"]["welfare"]["exact"], "16");
    let certified = server.post("/api/solve", &json!({"model": HOTEL, "gap": 1e-9})).json();
    assert_eq!(certified["engine"], "certified");
    let lower = certified["states"]["s0"]["welfare"]["lower"].as_f64().expect("a double");
    assert!(lower <= 127.0 / 9.0 && lower > 14.111, "{lower}");
    let elsewhere = server.post("/api/solve", &json!({"model": HOTEL, "from": "s1", "weights": {"alice": "0"}})).json();
    assert_eq!(elsewhere["states"]["s1"]["welfare"]["exact"], "9");
    let compared = server.post("/api/solve", &json!({"model": HOTEL, "compare": true, "explain": true})).json();
    assert!(compared["comparison"].as_array().is_some_and(|rows| rows.len() >= 4), "{compared}");
    assert_eq!(compared["explanation"]["deviations"][0]["action"], "a");
}

/// A number of JSON has as many digits as it likes, and a double has 17 of them.
#[test]
fn numbers_are_read_exactly_as_texts_are() {
    let server = Serving::new(&[]);
    let model = |number: &str, weight: &str| {
        let body = format!(
            "{{\"model\": {}, \"discounts\": {{\"bob\": {number}}}, \"weights\": {{\"alice\": {weight}}}}}",
            json!(HOTEL)
        );
        let answer = server.send("POST", "/api/model", &[], body.as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.text().to_owned()
    };
    let third = "0.3333333333333333333333333333333333";
    let large = "123456789012345678901234567890";
    let written = model(third, large);
    assert_eq!(written, model(&format!("\"{third}\""), &format!("\"{large}\"")));
    assert!(written.contains(third) || written.contains("3333333333333333333333333333333333/1"), "{written}");
    assert!(written.contains(large), "{written}");
    for (one, other) in [("5E-1", "1/2"), ("5.0e-1", "1/2"), ("0", "0")] {
        assert_eq!(model(one, "1"), model(&format!("\"{other}\""), "1"), "{one}");
    }
}

#[test]
fn a_text_in_another_format_than_the_request_says_is_refused() {
    let server = Serving::new(&[]);
    let drn = "@type: MDP\n@parameters\n\n@reward_models\ntime\n@nr_states\n1\n@nr_choices\n1\n@model\nstate 0 [0] init\n\taction 0 [1]\n\t\t0 : 1\n";
    let asked = |model: &str, format: &str| {
        let name = if model == drn { "time" } else { "bob" };
        server.post("/api/solve", &json!({"model": model, "format": format, "discounts": {name: "1/4"}}))
    };
    assert_eq!(asked(drn, "drn").json()["states"]["0"]["welfare"]["exact"], "4/3");
    assert_eq!(asked(HOTEL, "yaml").status, 200);
    let error = asked(HOTEL, "drn").refused(422, "`format` is drn");
    assert!(error["help"].as_str().is_some_and(|help| help.contains("leave `format` out")), "{error}");
    for format in ["yaml", "json"] {
        let error = asked(drn, format).refused(422, "Storm's format");
        assert!(error["help"].as_str().is_some_and(|help| help.contains("drn")), "{error}");
    }
}

#[test]
fn a_model_with_a_mistake_is_refused_with_its_place_and_the_cure() {
    let server = Serving::new(&[]);
    let folder = Folder::new();
    let wrong = HOTEL.replace("to: s1}}, s1", "to: s7}}, s1");
    folder.write("wrong.yaml", &wrong);
    let error = server.post("/api/solve", &json!({"model": wrong})).refused(422, "there is no state `s7`");
    let column = wrong.lines().nth(1).and_then(|line| line.find("s7")).map(|at| at as u64 + 1);
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(2), column));
    assert!(error["help"].as_str().is_some_and(|help| help.contains("s1") || help.contains("s0")), "{error}");
    // The same message and the same place as the program.
    let printed = folder.run(&["solve", "wrong.yaml"]);
    let place =
        format!("wrong.yaml:{}:{}: {}", error["line"], error["column"], error["message"].as_str().expect("text"));
    printed.refused(&[&place, error["help"].as_str().expect("text")]);
}

#[test]
fn what_is_wrong_with_a_request_is_named() {
    let server = Serving::new(&[]);
    let solve = |body: &str| server.send("POST", "/api/solve", &[], body.as_bytes());
    solve("").refused(400, "not JSON");
    solve("{\"model\": ").refused(400, "not JSON");
    solve("[]").refused(400, "must be a JSON object");
    solve("{}").refused(400, "`model` is missing");
    solve("{\"model\": 3}").refused(400, "`model` must be a text");
    solve("{\"model\": \"\", \"modle\": 1}").refused(400, "no key `modle`");
    solve("{\"model\": \"\", \"exact\": \"yes\"}").refused(400, "`exact` must be true or false");
    solve("{\"model\": \"\", \"format\": \"umb\"}").refused(400, "no format `umb`");
    solve("{\"model\": \"\", \"time_limit\": -1}").refused(400, "positive number of seconds");
    let asked = |more: serde_json::Value| {
        let mut body = json!({"model": HOTEL});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        server.post("/api/solve", &body)
    };
    let error = asked(json!({"discounts": {"bbo": "1/2"}})).refused(422, "no principal `bbo`");
    assert_eq!(error["help"], "did you mean `bob`?");
    asked(json!({"discounts": {"bob": "3/2"}})).refused(422, "`discounts`");
    asked(json!({"discounts": {"bob": "half"}})).refused(422, "`discounts`");
    asked(json!({"from": "s9"})).refused(422, "no state `s9`");
    let error = asked(json!({"discounts": {"bob": "3%"}})).refused(422, "percentage");
    assert!(
        error["help"].as_str().is_some_and(|help| help.contains("`{rate: 3%}`") && help.contains("100/103")),
        "{error}"
    );
    asked(json!({"gap": "2"})).refused(422, "between 0 and 1");
    asked(json!({"gap": "1e-400"})).refused(422, "smaller than any double");
    assert_eq!(asked(json!({"time_limit": "1/2"})).status, 200);
    assert_eq!(asked(json!({"time_limit": 1e300})).status, 200);
    asked(json!({"time_limit": "soon"})).refused(400, "positive number of seconds");
    solve("{\"model\": \"\", \"model\": \"\"}").refused(400, "`model` is given twice");
    solve("{\"model\": \"\", \"discounts\": {\"bob\": 0, \"bob\": 1}}").refused(400, "`bob` is given twice");
    let map = |resolution: u64| {
        server.post("/api/map", &json!({"model": HOTEL, "x": "alice", "y": "bob", "resolution": resolution}))
    };
    map(17).refused(400, "`resolution` must be a whole number from 2 to 16");
    server.get("/api/nothing").refused(404, "nothing at this path");
    server.get("/api/solve").refused(405, "takes POST");
    server.send("POST", "/", &[], b"").refused(405, "takes GET");
}

#[test]
fn a_request_past_its_time_limit_gets_the_bounds_so_far() {
    let server = Serving::new(&[]);
    let folder = Folder::new();
    // Two discounts so close to each other that the exact engine takes long.
    let args = [
        "generate",
        "random",
        "--states",
        "400",
        "--discounts",
        "0.999999,0.9999985",
        "--seed",
        "3",
        "--out",
        "slow.yaml",
    ];
    folder.run(&args).done();
    let body = json!({"model": folder.read("slow.yaml"), "exact": true, "time_limit": 0.05});
    for path in ["/api/solve", "/api/strategy", "/api/certificate", "/api/csv", "/api/report"] {
        let answer = server.post(path, &body);
        answer.refused(503, "the time limit was reached");
        let document = answer.json();
        assert_eq!((&document["format"], &document["status"]), (&json!("commonweal-solution/1"), &json!("stopped")));
        let start = document["start"].as_str().expect("a state");
        let welfare = &document["states"][start]["welfare"];
        let (lower, upper) = (&welfare["lower"], &welfare["upper"]);
        assert!(lower.as_f64().expect("a double") < upper.as_f64().expect("a double"), "{path}: {welfare}");
    }
    // Pictures of maps and fronts have the documents of maps and fronts, or the bounds of the welfare.
    let model =
        "{principals: {p: 9/10, q: 1/2}, states: {s: {x: {reward: {p: 1}, to: s}, y: {reward: {q: 3}, to: s}}}}";
    for (kind, formats) in
        [("map", &["commonweal-map/1"][..]), ("front", &["commonweal-front/1", "commonweal-solution/1"])]
    {
        let asked = json!({"model": model, "kind": kind, "x": "p", "y": "q", "time_limit": 1e-6});
        let answer = server.post("/api/picture", &asked);
        answer.refused(503, "the time limit was reached");
        assert!(formats.iter().any(|format| answer.json()["format"] == **format), "{kind}: {}", answer.text());
    }
}

#[test]
fn a_model_of_the_command_line_opens_as_it_is_even_with_a_mistake() {
    let folder = Folder::with_hotel();
    folder.write("wrong.yaml", "principals: {alice: 3/2}\n");
    let opened = |args: &[&str]| -> serde_json::Value {
        let page = Serving::new(args).get("/");
        let (_, rest) = page.text().split_once("id=\"opened\">").expect("what it opens with");
        serde_json::from_str(rest.split_once("</script>").expect("an end").0).expect("JSON")
    };
    let path = |name: &str| folder.path().join(name).display().to_string();
    let hotel = opened(&[&path("hotel.yaml")]);
    assert_eq!(hotel["model"], folder.read("hotel.yaml"));
    let wrong = opened(&[&path("wrong.yaml")]);
    assert_eq!((&wrong["model"], &wrong["view"]), (&json!("principals: {alice: 3/2}\n"), &json!(null)));
    let changed = opened(&[&path("hotel.yaml"), "--discount", "bob=1/2"]);
    assert_eq!(changed["view"]["solution"]["states"]["s0"]["welfare"]["exact"], "16");
    folder.run(&["serve", "missing.yaml", "--no-open"]).refused(&["missing.yaml"]);
}

#[test]
fn every_request_has_a_line_in_the_log() {
    let server = Serving::with_log(std::process::Stdio::piped(), &[]);
    let size = server.post("/api/solve", &json!({"model": HOTEL})).body.len();
    server.get("/api/health");
    server.get("/\u{1b}[31mred");
    server.send("GET", "/", &[("Host", "example.org")], b"");
    server.post("/api/solve", &json!({"modle": ""}));
    cancelled(&server);
    let log = server.log();
    // A note says where the explorer is; requests begin with the time of day.
    let lines: Vec<&str> = log.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit())).collect();
    // The time of day, the method, the path, the status, how long it took, and the size.
    let fields = |line: &str| line.split(' ').skip(1).take(3).collect::<Vec<_>>().join(" ");
    let told: Vec<String> = lines.iter().map(|line| fields(line)).collect();
    assert_eq!(told[..2], ["POST /api/solve 200", "GET /api/health 204"], "{log}");
    assert!(told.contains(&"POST /api/solve 400".to_owned()), "{log}");
    assert_eq!(told.last().map(String::as_str), Some("POST /api/sketch cancelled"), "{log}");
    assert!(told.contains(&"GET / 403".to_owned()), "{log}");
    assert!(lines[0].ends_with(&format!(" ms, {size} bytes")) && lines[0].contains(" in "), "{log}");
    let clock = |line: &str| line.len() > 8 && line.as_bytes()[2] == b':' && line.as_bytes()[5] == b':';
    assert!(lines.iter().all(|line| clock(line)), "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");
    // No model and no answer stands in it.
    assert!(!log.contains("alice"), "{log}");
}

/// Sends a question that takes minutes, and hangs up.
fn cancelled(server: &Serving) {
    let body = json!({"model": slow(), "x": "p0", "y": "p1", "resolution": 64, "exact": true}).to_string();
    let head = format!("POST /api/sketch HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", server.host, body.len());
    let mut stream = server.connect();
    stream.write_all((head + &body).as_bytes()).expect("sent");
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(stream);
    std::thread::sleep(std::time::Duration::from_millis(1500));
}

/// A model whose fractions take long.
fn slow() -> String {
    let folder = Folder::new();
    let discounts = "0.999999,0.9999985";
    folder
        .run(&["generate", "random", "--states", "400", "--discounts", discounts, "--seed", "3", "--out", "slow.yaml"])
        .done();
    folder.read("slow.yaml")
}

/// A sketch ends at once when its time is over, with the cells that it has, and when nobody waits for it any more.
#[test]
fn a_sketch_stops_with_what_it_knows() {
    let server = Serving::new(&["--threads", "1"]);
    // The first row of cells is solved fast, the others take long: at discounts near 1.
    let asked = json!({"model": slow(), "x": "p0", "y": "p1", "resolution": 64, "exact": true, "time_limit": 2});
    let began = std::time::Instant::now();
    let answer = server.post("/api/sketch", &asked);
    assert!(began.elapsed().as_secs() < 6, "{:?}", began.elapsed());
    assert_eq!(answer.status, 503, "{answer:?}");
    let document = answer.json();
    assert_eq!((&document["format"], &document["resolution"]), (&json!("commonweal-sketch/1"), &json!(64)));
    let drawn = document["drawn"].as_array().expect("regions");
    assert!(drawn.iter().any(|region| region["words"] == "not solved"), "{drawn:?}");
    assert!(drawn.iter().any(|region| region["is_rest"] == false), "{drawn:?}");
    for _ in 0..4 {
        cancelled(&server);
    }
    let began = std::time::Instant::now();
    assert_eq!(server.post("/api/solve", &json!({"model": HOTEL})).status, 200);
    assert!(began.elapsed().as_secs() < 6, "{:?}", began.elapsed());
}

#[test]
fn a_front_has_as_many_vertices_as_were_asked_for_at_most() {
    let server = Serving::new(&PATIENT);
    for most in [2, 3, 4, 24] {
        let front = server.post("/api/front", &json!({"model": HOTEL, "vertices": most})).json();
        let found = front["vertices"].as_array().expect("vertices").len();
        assert!(found <= most, "{found} vertices, {most} asked for");
    }
}

/// Tables beside that of the solution: those of `solve --compare --csv` and `front --csv`.
#[test]
fn the_comparison_and_the_front_are_tables_too() {
    let (server, folder) = (Serving::new(&PATIENT), Folder::new());
    folder.write("hotel.yaml", HOTEL);
    folder.run(&["solve", "hotel.yaml", "--compare", "--csv", "compared.csv"]).done();
    folder.run(&["front", "hotel.yaml", "--csv", "front.csv"]);
    let table = |kind: &str| server.post("/api/csv", &json!({"model": HOTEL, "kind": kind})).text().to_owned();
    assert_eq!(table("comparison"), folder.read("compared.csv"));
    assert_eq!(table("front"), folder.read("front.csv"));
    server.post("/api/csv", &json!({"model": HOTEL, "kind": "map"})).refused(400, "`kind` must be");
    server.post("/api/csv", &json!({"model": HOTEL, "x": "alice", "y": "bob"})).refused(400, "`x`, `y` and `vertices`");
}

/// A report has what the page has: the comparison, the front, and the model as it was solved.
#[test]
fn a_report_has_the_comparison_the_front_and_the_model() {
    let server = Serving::new(&PATIENT);
    let report = server.post("/api/report", &json!({"model": HOTEL, "discounts": {"bob": "1/2"}})).text().to_owned();
    for part in ["id=\"simplicity\"", "re-planned", "fair", "id=\"front\"", "id=\"model\"", "\n  bob: 1/2\n"] {
        assert!(report.contains(part), "{part}");
    }
}

/// Two explorers run beside each other: the second takes another port than the usual one.
#[test]
fn a_second_explorer_finds_a_port_of_its_own() {
    let servers = [Serving::new(&[]), Serving::new(&[])];
    assert_ne!(servers[0].host, servers[1].host);
    for server in &servers {
        assert_eq!(server.get("/api/health").status, 204);
    }
}

#[test]
fn a_port_that_is_taken_is_said_to_be() {
    let server = Serving::new(&[]);
    let port = server.host.split(':').next_back().expect("a port");
    Folder::new().run(&["serve", "--no-open", "--port", port]).refused(&["port", "--port"]);
}

/// Numbers of thousands of digits, which make every step of a computation in fractions long: this many states and principals, and
/// discounts of this many digits.
fn long_numbers(n_states: usize, n_principals: usize, digits: usize) -> String {
    let digit = |seed: usize, i: usize| char::from(b'1' + ((seed + 7 * i * i + i / 3) % 9) as u8);
    let discount = |seed: usize| (0..digits).map(|i| digit(seed, i)).collect::<String>();
    let entry = |p: usize| format!("p{p}: 0.{}{}", 9 - p, discount(3 * p + 1));
    let principals: Vec<String> = (0..n_principals).map(entry).collect();
    let principals = format!("principals: {{{}}}\nstates:\n", principals.join(", "));
    let state = |s: usize| {
        let [near, far] = [(s + 1) % n_states, (5 * s + 2) % n_states];
        let to = if near == far { format!("s{near}") } else { format!("{{s{near}: 1/3, s{far}: 2/3}}") };
        let row = |action: &str, p: usize, reward: usize| {
            let other = (p + 1) % n_principals;
            format!("    {action}: {{reward: {{p{p}: {reward}, p{other}: -{}}}, to: {to}}}\n", reward * 7 % 100)
        };
        format!(
            "  s{s}:\n{}{}",
            row("a", s % n_principals, 37 * s % 113),
            row("b", (s + 1) % n_principals, 53 * s % 101)
        )
    };
    principals + &(0..n_states).map(state).collect::<String>()
}

/// The processor seconds that the server has used, in all threads.
#[cfg(target_os = "linux")]
fn spent(server: &Serving) -> f64 {
    /// The unit of `/proc`, whatever the machine.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).expect("it runs");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name in parentheses").1.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().expect("a number of ticks");
    (ticks(11) + ticks(12)) / TICKS_A_SECOND
}

/// A request past its time, or of a client that has left, uses no further processor time, however long its numbers are.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_computed_for_a_request_that_is_over() {
    let server = Serving::new(&["--threads", "1"]);
    let rests = |what: &str| {
        std::thread::sleep(std::time::Duration::from_secs(2));
        let before = spent(&server);
        std::thread::sleep(std::time::Duration::from_secs(3));
        let used = spent(&server) - before;
        assert!(used < 0.5, "{what}: {used} seconds of three");
    };
    let compared = json!({"model": long_numbers(190, 3, 1500), "compare": true, "time_limit": 1});
    assert_eq!(server.post("/api/solve", &compared).status, 503);
    rests("a comparison");
    let front = json!({"model": long_numbers(210, 2, 2000), "kind": "front", "x": "p0", "y": "p1", "vertices": 4,
                       "gap": "0.01", "time_limit": 4});
    assert_eq!(server.post("/api/picture", &front).status, 503);
    rests("the picture of a front");
    // A byte after the request hides the end of the connection from the library that reads it.
    let body = json!({"model": slow(), "exact": true}).to_string();
    let head = format!("POST /api/solve HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", server.host, body.len());
    for behind in ["", "\r\n", "GET /api/health HTTP/1.1\r\n"] {
        let mut stream = server.connect();
        stream.write_all((head.clone() + &body + behind).as_bytes()).expect("sent");
        std::thread::sleep(std::time::Duration::from_millis(500));
        drop(stream);
        rests("a client that left");
    }
}

/// Reading a model is not stopped, so that it must be short: a short text can state thousands of approximated preferences.
#[test]
fn many_approximated_preferences_are_refused_before_they_are_read() {
    let server = Serving::new(&PATIENT);
    let entry = |p: usize| format!("  p{p}: {{hyperbolic: 0.1{p:05}1, hazard: 1e-6, error: 1e-12}}\n");
    let principals: String = (0..1000).map(entry).collect();
    let model = format!("principals:\n{principals}states: {{s: {{a: {{to: s}}}}}}\n");
    let refused = server.post("/api/solve", &json!({"model": model}));
    refused.refused(422, "more than 64 time preferences are approximated");
    assert_eq!(refused.json()["error"]["line"], 66);
}

/// A request of a client that disconnected is cancelled: its place is soon free again.
#[test]
fn work_stops_when_the_client_hangs_up() {
    let server = Serving::new(&["--time-limit", "60"]);
    let folder = Folder::new();
    let args = [
        "generate",
        "random",
        "--states",
        "400",
        "--discounts",
        "0.999999,0.9999985",
        "--seed",
        "3",
        "--out",
        "slow.yaml",
    ];
    folder.run(&args).done();
    let body = json!({"model": folder.read("slow.yaml"), "exact": true}).to_string();
    let head = format!("POST /api/solve HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", server.host, body.len());
    for _ in 0..8 {
        let mut stream = server.connect();
        stream.write_all((head.clone() + &body).as_bytes()).expect("sent");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let began = std::time::Instant::now();
    assert_eq!(server.post("/api/solve", &json!({"model": HOTEL})).status, 200);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}
