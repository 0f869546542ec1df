//! Access control: only this server's own page, and programs on this machine. Also the security headers of every response.
//!
//! A page of another site can make a browser send requests here. Its requests have a foreign `Origin`, or, after DNS rebinding, a
//! foreign `Host`.

use crate::problem::Problem;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use std::net::SocketAddr;

/// The names by which this server may be called.
#[derive(Debug, Clone)]
pub struct Guard {
    hosts: Vec<String>,
}

impl Guard {
    /// The names of a server that listens here.
    pub fn of(address: SocketAddr) -> Guard {
        let port = address.port();
        let mut hosts = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        if !address.ip().is_loopback() {
            hosts.push(address.to_string());
        }
        if port == 80 {
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(str::to_owned));
        }
        Guard { hosts }
    }

    /// Refuses a request that calls this server by another name, or comes from another page.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let host = single(headers, header::HOST)?;
        if !host.is_some_and(|host| self.is_own(host)) {
            return Err(Problem::forbidden("the Host of the request is not this server")
                .help(format!("ask for http://{}", self.hosts[0])));
        }
        if let Some(origin) = single(headers, header::ORIGIN)?
            && !origin.strip_prefix("http://").is_some_and(|host| self.is_own(host))
        {
            return Err(Problem::forbidden("the request comes from another page")
                .help("open this server's own page, or send no Origin"));
        }
        // A link to the page may be on any site; the requests of the page come from the page itself.
        let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
        let elsewhere = is("sec-fetch-site", "cross-site") || is("sec-fetch-site", "same-site");
        if elsewhere && !is("sec-fetch-mode", "navigate") {
            return Err(Problem::forbidden("the request comes from another site").help("type the address yourself"));
        }
        Ok(())
    }

    fn is_own(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

/// A header that may be there once.
fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(&name).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(Problem::forbidden(format!("the request has several headers `{name}`")));
    }
    let text = |value: &'_ HeaderValue| -> Result<(), Problem> {
        value.to_str().map(|_| ()).map_err(|_| Problem::forbidden(format!("the header `{name}` is not plain text")))
    };
    value.map(text).transpose()?;
    Ok(value.and_then(|value| value.to_str().ok()))
}

/// The headers of every response: nothing from other origins is loaded, run or framed, and nothing is cached.
pub const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(headers: &[(&'static str, &str)]) -> bool {
        let guard = Guard::of("127.0.0.1:8000".parse().expect("an address"));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        guard.check(&map).is_ok()
    }

    #[test]
    fn only_its_own_names_and_its_own_page_may_ask() {
        assert!(asked(&[("host", "127.0.0.1:8000")]));
        assert!(asked(&[("host", "LocalHost:8000"), ("origin", "http://localhost:8000")]));
        for refused in [
            &[][..],
            &[("host", "example.org")],
            &[("host", "127.0.0.1:8001")],
            &[("host", "127.0.0.1")],
            &[("host", "127.0.0.1:8000.example.org")],
            &[("host", "127.0.0.1:8000"), ("host", "example.org")],
            &[("host", "127.0.0.1:8000"), ("origin", "http://example.org")],
            &[("host", "127.0.0.1:8000"), ("origin", "https://127.0.0.1:8000")],
            &[("host", "127.0.0.1:8000"), ("origin", "null")],
            &[("host", "127.0.0.1:8000"), ("sec-fetch-site", "cross-site")],
        ] {
            assert!(!asked(refused), "{refused:?}");
        }
    }
}
