//! A server for a test, and requests to it as bytes.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The hotel in two lines.
pub const HOTEL: &str = "principals: {alice: 2/3, bob: 1/3}
states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}
";

/// A long timeout for busy machines: these tests check the answers, not the times.
pub const PATIENT: [&str; 2] = ["--time-limit", "10m"];

/// A server that is stopped when the value is dropped.
pub struct Serving {
    child: Child,
    _stdout: BufReader<ChildStdout>,
    /// Its host and port.
    pub host: String,
}

impl Serving {
    /// A server on a free port, with these further arguments.
    pub fn new(args: &[&str]) -> Serving {
        Serving::with_log(Stdio::null(), &[&["--quiet"], args].concat())
    }

    /// The same, with its log in `stderr`.
    pub fn with_log(stderr: Stdio, args: &[&str]) -> Serving {
        let mut command = Command::new(env!("CARGO_BIN_EXE_commonweal"));
        command.args(["serve", "--no-open"]).args(args);
        let mut child = command.stdout(Stdio::piped()).stderr(stderr).spawn().expect("the program runs");
        let mut stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("the first line");
        let host = line.trim().strip_prefix("http://").expect("the address stands on the first line").to_owned();
        Serving { child, _stdout: stdout, host }
    }

    /// Stops it, and returns what it has logged.
    pub fn log(mut self) -> String {
        let mut stderr = self.child.stderr.take().expect("its log is piped");
        let _ = self.child.kill();
        let mut log = String::new();
        stderr.read_to_string(&mut log).expect("UTF-8");
        log
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(600))).expect("a time limit");
        stream
    }

    /// The server's answer to these bytes; `None` if it closes the connection without one.
    pub fn raw(&self, request: &[u8]) -> Option<Response> {
        let mut stream = self.connect();
        // The server may close the connection before everything is sent.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Response::of(&bytes)
    }

    /// A request with these headers and this body.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request += &format!("Host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        let mut bytes = (request + "\r\n").into_bytes();
        bytes.extend(body);
        self.raw(&bytes).expect("an answer")
    }

    pub fn get(&self, path: &str) -> Response {
        self.send("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.send("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    fn of(bytes: &[u8]) -> Option<Response> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Response { status, head, body: bytes[end + 4..].to_vec() })
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// A refusal with this status: a JSON document with the four keys of an error, and these words in the message.
    #[track_caller]
    pub fn refused(&self, status: u16, words: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        let error = self.json()["error"].clone();
        let keys = error.as_object().expect("an error");
        assert!(["message", "line", "column", "help"].iter().all(|key| keys.contains_key(*key)), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(words)), "{error}");
        error
    }
}
