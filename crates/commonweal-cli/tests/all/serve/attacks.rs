//! Hostile requests are refused, and the server answers the next one as before.

use super::serving::{HOTEL, Serving};
use serde_json::json;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Statuses that refuse.
fn refuses(status: u16) -> bool {
    (400..500).contains(&status)
}

#[track_caller]
fn is_well(server: &Serving) {
    let answer = server.post("/api/solve", &json!({"model": HOTEL}));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["states"]["s0"]["welfare"]["exact"], "127/9");
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let server = Serving::new(&[]);
    let own = server.host.clone();
    let port = own.split(':').next_back().expect("a port").to_owned();
    let hosts = ["example.org", "127.0.0.1", "127.0.0.1:1", "localhost", &format!("example.org:{port}"), "", "[::]"];
    for host in hosts {
        server.send("GET", "/", &[("Host", host)], b"").refused(403, "Host");
        server.send("POST", "/api/solve", &[("Host", host)], b"{}").refused(403, "Host");
    }
    let body = json!({"model": HOTEL}).to_string();
    let origins = [
        "http://example.org",
        "null",
        "https://127.0.0.1",
        "file://",
        &format!("https://{own}"),
        &format!("http://{own}.example.org"),
    ];
    for origin in origins {
        server.send("POST", "/api/solve", &[("Origin", origin)], body.as_bytes()).refused(403, "another page");
    }
    let fetched = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")];
    server.send("GET", "/api/gallery", &fetched, b"").refused(403, "another site");
    let own_page = format!("http://{own}");
    assert_eq!(server.send("POST", "/api/solve", &[("Origin", &own_page)], body.as_bytes()).status, 200);
    is_well(&server);
}

#[test]
fn paths_lead_nowhere_but_to_what_is_built_in() {
    let server = Serving::new(&[]);
    for path in [
        "/../../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/app.js/../../Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/app.js%00.css",
        "/models/paper/hotel.yaml",
        "/api/../api/solve/",
        "/.git/config",
    ] {
        let answer = server.get(path);
        assert!(refuses(answer.status), "{path}: {answer:?}");
        assert!(!answer.text().contains("root:"), "{path}");
    }
    is_well(&server);
}

#[test]
fn broken_and_oversized_requests_are_refused() {
    let server = Serving::new(&[]);
    let host = &server.host;
    let long = "x".repeat(200_000);
    let many: String = (0..500).map(|n| format!("X-{n}: 1\r\n")).collect();
    for request in [
        format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nHost: example.org\r\n\r\n"),
        "GET / HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET / HTTP/9.9\r\nHost: {host}\r\n\r\n"),
        format!("GE\u{0}T / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        format!("POST /api/solve HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456"),
        format!("POST /api/solve HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n"),
        format!("POST /api/solve HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "\u{16}\u{3}\u{1}\u{2}\u{0}".to_owned(),
    ] {
        // Closing the connection is a refusal too.
        if let Some(answer) = server.raw(request.as_bytes()) {
            assert!(refuses(answer.status), "{}: {answer:?}", &request[..40.min(request.len())]);
        }
    }
    let announced =
        format!("POST /api/solve HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n");
    server.raw(announced.as_bytes()).expect("an answer").refused(413, "larger than");
    let body = json!({"model": "x".repeat(9 << 20)}).to_string();
    server.send("POST", "/api/solve", &[], body.as_bytes()).refused(413, "larger than");
    is_well(&server);
}

#[test]
fn deep_and_exploding_documents_are_refused() {
    let server = Serving::new(&[]);
    let solve = |body: &str| server.send("POST", "/api/solve", &[], body.as_bytes());
    solve(&"[".repeat(100_000)).refused(400, "not JSON");
    solve(&format!("{}1{}", "{\"model\":".repeat(5_000), "}".repeat(5_000))).refused(400, "`model` must be a text");
    solve("{\"model\": \"\\ud800\"}").refused(400, "not JSON");
    let model = |text: &str| server.post("/api/solve", &json!({"model": text}));
    model(&"[".repeat(100_000)).refused(422, "");
    model(&"- ".repeat(10_000)).refused(422, "");
    // Every state repeats a row with a way to every state: a file of 300 kB, and a hundred million targets.
    const N: usize = 10_000;
    let targets: String = (0..N).map(|n| format!("s{n}: 1/{N}, ")).collect();
    let rows: String = (1..N).map(|n| format!("  s{n}: *row\n")).collect();
    let bomb = format!("principals: {{p: 1/2}}\nstates:\n  s0: &row {{a: {{to: {{{targets}}}}}}}\n{rows}");
    model(&bomb).refused(422, "the aliases of this file expand to far more than the file itself");
    // Nested ones are refused where the first nested list stands, before any is expanded.
    let bomb: String = (1..30).map(|n| format!("  a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}]\n", n - 1)).collect();
    let nested = model(&format!("principals:\n  a0: &a0 [x, x]\n{bomb}states: {{s: {{a: {{to: s}}}}}}\n"));
    assert_eq!(nested.refused(422, "not a list")["line"], 2);
    model("principals: {p: 1e-999999999}\nstates: {s: {a: {to: s}}}\n").refused(422, "");
    model(&format!("principals: {{p: 1/{}}}\nstates: {{s: {{a: {{to: s}}}}}}\n", "9".repeat(2_000_000)))
        .refused(422, "");
    model("principals: {p: 1/2}\nstates: {s: {a: {reward: 1e999999999, to: s}}}\n").refused(422, "");
    is_well(&server);
}

/// Suggestions for misspelt names take a time that grows with the product of two lengths.
#[test]
fn very_long_names_get_no_suggestion() {
    let server = Serving::new(&["--time-limit", "5"]);
    let hotel = "principals: {alice: 2/3, bob: 1/3}\nstates: {s0: {a: {to: s0}}}\n";
    let long = "b".repeat(2_000_000);
    server.post("/api/solve", &json!({"model": hotel, "from": long})).refused(422, "");
    server.post("/api/solve", &json!({"model": hotel, "discounts": {long: "1/2"}})).refused(422, "");
    is_well(&server);
}

/// A bound may be infinite where a reward is larger than every double.
#[test]
fn a_stopped_answer_with_infinite_bounds_is_an_answer() {
    let server = Serving::new(&[]);
    let model =
        "principals: {a: 9/10, b: 1/2}\nstates: {s: {x: {reward: {a: 1e400}, to: s}, y: {reward: {b: 3}, to: s}}}\n";
    for path in ["/api/solve", "/api/view"] {
        let answer = server.post(path, &json!({"model": model, "time_limit": 1e-6}));
        assert!(answer.status == 503 && answer.text().contains("\"error\""), "{answer:?}");
    }
    is_well(&server);
}

#[test]
fn models_that_would_take_minutes_or_gigabytes_end_in_time() {
    let server = Serving::new(&["--time-limit", "1"]);
    // A file that declares a billion states.
    let drn =
        "@type: MDP\n@parameters\n\n@reward_models\ntime\n@nr_states\n1000000000\n@nr_choices\n1000000000\n@model\n";
    let promised = server.post("/api/solve", &json!({"model": drn, "format": "drn", "discounts": {"time": "1/2"}}));
    assert!(refuses(promised.status), "{promised:?}");
    // Fractions of twenty thousand states.
    let row = |s: usize| format!("  s{s}: {{a: {{reward: {s}, to: {{s{}: 1/3, s{s}: 2/3}}}}}}\n", (s + 1) % 20_000);
    let ring: String = (0..20_000).map(row).collect();
    let ring = format!("principals: {{p: 0.999, q: 0.99}}\nstates:\n{ring}");
    server.post("/api/solve", &json!({"model": ring, "exact": true})).refused(422, "states");
    // A map of a model that is not small.
    server.post("/api/map", &json!({"model": ring, "x": "p", "y": "q"})).refused(422, "thousands of times");
    // Huge numbers of steps, and discounts that are almost equal.
    let close = "principals: {p: 0.9999999999999, q: 0.9999999999998}
states: {s0: {a: {reward: {p: 1}, to: {s0: 1/2, s1: 1/2}}, b: {reward: {q: 1}, to: s1}}, s1: {a: {reward: {q: 3}, to: s0}, b: {reward: {p: 2}, to: {s0: 1/3, s1: 2/3}}}}";
    let began = Instant::now();
    let answer = server.post("/api/solve", &json!({"model": close, "exact": true}));
    assert!(matches!(answer.status, 200 | 503), "{answer:?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    is_well(&server);
}

/// A short text may describe gigabytes: rewards and payoffs are as many as states times principals.
#[test]
fn many_states_times_many_principals_are_refused_before_they_fill_the_memory() {
    let server = Serving::new(&[]);
    let model = |states: usize, principals: usize| {
        let principals: String = (0..principals).map(|p| format!("p{p}: 1/2, ")).collect();
        let rows: String = (0..states).map(|s| format!("  s{s}: {{a: {{reward: 1, to: s{s}}}}}\n")).collect();
        format!("principals: {{{principals}}}\nstates:\n{rows}")
    };
    // Refused before the rewards are laid out.
    for (states, principals) in [(10_000, 3_000), (40_000, 40_000)] {
        let large = model(states, principals);
        for path in ["/api/solve", "/api/view", "/api/model", "/api/certificate"] {
            server.post(path, &json!({"model": large})).refused(422, "rewards");
        }
    }
    // The model fits, and its answer does not.
    let wide = model(100, 10_000);
    let refused =
        server.post("/api/solve", &json!({"model": wide, "gap": 1e-6, "compare": true})).refused(422, "its answer");
    assert!(refused["help"].as_str().is_some_and(|help| help.contains("/api/view")), "{refused}");
    server.post("/api/fair", &json!({"model": wide, "gap": 1e-6, "rule": "max-min"})).refused(422, "its answer");
    // The same in Storm's format, whose rewards are those of the discounts that a request gives.
    let names: Vec<String> = (0..40_000).map(|p| format!("r{p}")).collect();
    let discounts: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), json!("1/2"))).collect();
    let drn = format!(
        "@type: MDP\n@parameters\n\n@reward_models\n{}\n@nr_states\n1000000\n@nr_choices\n1000000\n@model\n",
        names.join(" ")
    );
    server.post("/api/solve", &json!({"model": drn, "format": "drn", "discounts": discounts})).refused(422, "rewards");
    is_well(&server);
}

#[test]
fn slow_clients_do_not_keep_the_others_waiting() {
    let server = Serving::new(&[]);
    let mut slow: Vec<_> = (0..40).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"POST /api/solve HTTP/1.1\r\nHost: ").expect("a beginning");
    }
    is_well(&server);
    // They time out.
    let mut rest = Vec::new();
    let began = Instant::now();
    let _ = slow[0].read_to_end(&mut rest);
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

/// A killed server frees its port and leaves no file behind.
#[cfg(target_os = "linux")]
#[test]
fn killed_and_started_again_it_is_as_before() {
    let server = Serving::new(&[]);
    let port = server.host.split(':').next_back().expect("a port").to_owned();
    is_well(&server);
    let files = std::fs::read_dir(format!("/proc/{}/fd", server.id())).expect("its descriptors");
    let opened = files.filter_map(|file| std::fs::read_link(file.expect("an entry").path()).ok());
    let written: Vec<_> = opened.filter(|path| path.starts_with("/") && !path.starts_with("/dev")).collect();
    assert!(written.is_empty(), "{written:?}");
    // `kill` is kill -9.
    drop(server);
    let again = Serving::new(&["--port", &port]);
    is_well(&again);
}

/// The payoffs of hundreds of discounts have denominators with little in common: their sum has millions of digits.
#[test]
fn the_sum_of_hundreds_of_payoffs_does_not_take_the_bounds_with_it() {
    const STATES: usize = 200;
    let is_prime = |n: &usize| (2..95).all(|divisor| !n.is_multiple_of(divisor));
    let primes = (1301..).filter(is_prime).take(600).enumerate();
    let principals: String = primes.map(|(at, prime)| format!("p{at}: {}/{prime}, ", at + 1)).collect();
    let row = |s: usize| {
        let [a, b, c] = [s + 1, 7 * s + 2, 13 * s + 5].map(|to| to % STATES);
        format!(
            "  s{s}:\n    a: {{reward: {}, to: {{s{a}: 1/2, s{b}: 1/2}}}}\n    b: {{reward: {{p{}: {}}}, to: s{c}}}\n",
            s % 7 + 1,
            3 * s,
            s % 9
        )
    };
    let states: String = (0..STATES).map(row).collect();
    let model = format!("principals: {{{principals}}}\nstates:\n{states}");
    let server = Serving::new(&["--time-limit", "4"]);
    for path in ["/api/solve", "/api/strategy", "/api/view"] {
        let answer = server.post(path, &json!({"model": model}));
        assert!(matches!(answer.status, 200 | 503), "{path}: {}", answer.status);
        let found = answer.json();
        let solution = if found["solution"].is_object() { &found["solution"] } else { &found };
        let welfare = &solution["states"]["s0"]["welfare"];
        assert!(
            path == "/api/strategy" && answer.status == 200 || welfare["lower"].is_number(),
            "{path}: {}",
            answer.status
        );
    }
    // Nothing goes on for minutes with the places of others.
    is_well(&server);
}
