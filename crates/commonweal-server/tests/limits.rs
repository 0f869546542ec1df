//! The limits of a server over its socket, with a program that takes as long as a test wants.

use commonweal::questions::Front;
use commonweal::{Answer, Model, StopSignal};
use commonweal_server::{Ending, Limits, Opened, Pictured, Problem, Program, Server};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

const HOTEL: &str = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
/// More than the buffers of a socket hold.
const LARGE: usize = 64 << 20;

/// A program whose checker says that it has begun, and then waits for a word to go on.
struct Slow {
    begun: Mutex<Sender<()>>,
    go_on: Mutex<Receiver<()>>,
}

impl Program for Slow {
    fn accepts(&self, _: &Model, _: &Answer) -> bool {
        self.begun.lock().unwrap().send(()).expect("the test listens");
        self.go_on.lock().unwrap().recv_timeout(Duration::from_secs(120)).is_ok()
    }

    fn csv(&self, _: &Model, _: &Answer, _: &StopSignal) -> String {
        "x".repeat(LARGE)
    }

    fn comparison_csv(&self, _: &Model, _: &Answer, _: &StopSignal) -> String {
        String::new()
    }

    fn front_csv(&self, _: &Model, _: &Front) -> String {
        String::new()
    }

    /// Takes all the time there is.
    fn report(&self, _: &str, _: &Model, _: &Answer, stop: &StopSignal) -> String {
        while stop.reason().is_none() {
            std::thread::yield_now();
        }
        String::new()
    }

    fn picture(&self, _: &Pictured, _: Ending) -> Result<Vec<u8>, Problem> {
        Ok(Vec::new())
    }
}

struct Serving {
    address: SocketAddr,
    begun: Receiver<()>,
    go_on: Sender<()>,
    stop: StopSignal,
    running: Option<JoinHandle<()>>,
}

impl Serving {
    fn new(limits: Limits) -> Serving {
        let (begin, begun) = channel();
        let (go_on, wait) = channel();
        let server = Server::bind(0).expect("a port");
        let (address, stop) = (server.address(), StopSignal::default());
        let program = Arc::new(Slow { begun: Mutex::new(begin), go_on: Mutex::new(wait) });
        let own = stop.clone();
        let run = move || server.run(program, Opened { name: "hotel".into(), model: HOTEL.into() }, limits, true, &own);
        Serving { address, begun, go_on, stop, running: Some(std::thread::spawn(run)) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time limit");
        stream
    }

    /// A request that is sent, and whose answer is not read yet.
    fn sent(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let (host, length) = (self.address, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        stream
    }

    fn solve(&self) -> TcpStream {
        self.sent("POST", "/api/solve", &format!("{{\"model\": \"{HOTEL}\"}}"))
    }

    /// Waits until the checker has begun.
    fn has_begun(&self) {
        self.begun.recv_timeout(Duration::from_secs(120)).expect("the first one computes");
    }

    /// What the page opens with.
    fn first_view(&self) -> serde_json::Value {
        let page = answer(self.sent("GET", "/", ""));
        let (_, rest) = page.split_once("id=\"opened\">").expect("what it opens with");
        let opened: serde_json::Value = serde_json::from_str(rest.split_once("</script>").expect("an end").0).unwrap();
        opened["view"].clone()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.raise();
        self.running.take().map(JoinHandle::join);
    }
}

/// The whole answer, head and body.
fn answer(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer in time");
    String::from_utf8(bytes).expect("UTF-8")
}

fn body(answer: &str) -> serde_json::Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a head").1).expect("JSON")
}

fn one_at_a_time() -> Limits {
    Limits { running: 1, waiting: 0, ..Limits::default() }
}

#[test]
fn a_request_too_many_gets_429_and_is_told_when_to_ask_again() {
    let server = Serving::new(one_at_a_time());
    let first = server.solve();
    server.has_begun();
    let refused = answer(server.solve());
    assert!(refused.starts_with("HTTP/1.1 429 ") && refused.contains("\r\nretry-after: 1\r\n"), "{refused}");
    assert_eq!(body(&refused)["error"]["message"], "too many requests are waiting already");
    server.go_on.send(()).expect("the first one waits");
    assert!(answer(first).starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_request_whose_turn_does_not_come_gets_429() {
    let server = Serving::new(Limits { waiting: 8, wait: Duration::from_millis(50), ..one_at_a_time() });
    let first = server.solve();
    server.has_begun();
    let refused = answer(server.solve());
    assert!(refused.starts_with("HTTP/1.1 429 ") && refused.contains("\r\nretry-after: 1\r\n"), "{refused}");
    assert_eq!(body(&refused)["error"]["message"], "this request has waited too long for its turn");
    server.go_on.send(()).expect("the first one waits");
    assert!(answer(first).starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_page_that_met_a_full_queue_is_made_anew() {
    let server = Serving::new(one_at_a_time());
    let first = server.solve();
    server.has_begun();
    assert!(server.first_view().is_null());
    // One word for the solve, one for the view of the page.
    server.go_on.send(()).expect("the first one waits");
    server.go_on.send(()).expect("the page will wait");
    assert!(answer(first).starts_with("HTTP/1.1 200 "));
    assert_eq!(server.first_view()["solution"]["states"]["s0"]["welfare"]["exact"], "127/9");
    // That one is kept: nobody goes on any more.
    assert_eq!(server.first_view()["solution"]["states"]["s0"]["welfare"]["exact"], "127/9");
}

#[test]
fn a_body_that_does_not_come_gets_408() {
    let server = Serving::new(Limits { patience: Duration::from_millis(200), ..Limits::default() });
    let mut stream = server.connect();
    let head = format!(
        "POST /api/solve HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{{",
        server.address
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let refused = answer(stream);
    assert!(refused.starts_with("HTTP/1.1 408 "), "{refused}");
    assert_eq!(body(&refused)["error"]["message"], "the body took too long to come");
}

#[test]
fn a_client_that_does_not_read_loses_its_connection_and_one_that_reads_gets_all() {
    let server = Serving::new(Limits { patience: Duration::from_millis(300), ..Limits::default() });
    let table = || server.sent("POST", "/api/csv", &format!("{{\"model\": \"{HOTEL}\"}}"));
    let mut idle = table();
    let whole = answer(table());
    assert_eq!(whole.split_once("\r\n\r\n").expect("a head").1.len(), LARGE);
    // Many times its patience, so that a busy machine has let go of it too.
    std::thread::sleep(Duration::from_secs(5));
    let mut rest = Vec::new();
    let ended = idle.read_to_end(&mut rest);
    assert!(ended.is_err() || rest.len() < LARGE, "{} bytes", rest.len());
}

/// Clients that take every connection and send nothing, or half a request, make room for one that asks; one that is being served keeps its own.
#[test]
fn slow_clients_give_their_connections_up_and_served_ones_do_not() {
    const CONNECTIONS: usize = 6;
    let limits = Limits { connections: CONNECTIONS, patience: Duration::from_secs(3600), ..Limits::default() };
    let server = Serving::new(limits);
    let served = server.solve();
    server.has_begun();
    let halves = [
        String::new(),
        "POST /api/solve HTTP/1.1\r\nHost: ".to_owned(),
        format!("POST /api/solve HTTP/1.1\r\nHost: {}\r\nContent-Length: 9\r\n\r\n{{", server.address),
    ];
    let slow: Vec<TcpStream> = (0..3 * CONNECTIONS)
        .map(|at| {
            let mut stream = server.connect();
            stream.write_all(halves[at % halves.len()].as_bytes()).expect("a beginning");
            stream
        })
        .collect();
    for _ in 0..2 * CONNECTIONS {
        assert!(answer(server.sent("GET", "/api/health", "")).starts_with("HTTP/1.1 204 "));
    }
    server.go_on.send(()).expect("the served one waits");
    assert_eq!(body(&answer(served))["states"]["s0"]["welfare"]["exact"], "127/9");
    drop(slow);
}

/// Whatever takes long after the solve: what was solved is the answer.
#[test]
fn a_time_limit_after_the_solve_gets_its_bounds() {
    let server = Serving::new(Limits { time: Duration::from_millis(200), ..Limits::default() });
    for path in ["/api/report", "/api/solve"] {
        let stopped = answer(server.sent("POST", path, &format!("{{\"model\": \"{HOTEL}\"}}")));
        assert!(stopped.starts_with("HTTP/1.1 503 "), "{path}: {stopped}");
        let document = body(&stopped);
        assert_eq!(document["format"], "commonweal-solution/1", "{path}");
        assert_eq!(document["states"]["s0"]["welfare"]["exact"], "127/9", "{path}");
        assert_eq!(document["error"]["message"], "stopped: the time limit was reached", "{path}");
    }
    server.go_on.send(()).expect("the checker of the last one waits");
}
