//! The explorer: a page in a browser and a JSON API over the library, for one user on one machine.
//!
//! [`Server::bind`] takes a port of this machine, [`Server::run`] answers until it is asked to stop. The page and its assets are
//! part of the program, and nothing is fetched from elsewhere. The API answers with the documents of the program; docs/api.md
//! describes it, docs/openapi.json for programs.
//!
//! A request passes `guard` (access control), `routes` (the handler) and `queue` (concurrency and time limits), and ends in one
//! of the `answers`. [`Limits`] has all limits.

mod answers;
mod connection;
mod fields;
mod gallery;
mod guard;
mod limits;
mod log;
mod memory;
mod page;
mod problem;
mod program;
mod queue;
mod request;
mod routes;

pub use gallery::{Entry, gallery};
pub use limits::Limits;
pub use page::Opened;
pub use problem::Problem;
pub use program::{Ending, Pictured, Program};

use commonweal::StopSignal;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// A server that has its port.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// A server on this port of the loopback address, which other machines cannot reach; any free port for 0.
    pub fn bind(port: u16) -> std::io::Result<Server> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)))?;
        let address = listener.local_addr()?;
        Ok(Server { runtime, listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is raised. The page opens with `opened`; requests are logged on standard error unless `quiet`.
    pub fn run(self, program: Arc<dyn Program>, opened: Opened, limits: Limits, quiet: bool, stop: &StopSignal) {
        /// The interval at which the signal is polled.
        const PULSE: Duration = Duration::from_millis(100);
        let Server { runtime, listener, address } = self;
        let context = answers::Context { limits: limits.clone(), program, so_far: answers::SoFar::default() };
        let shared = routes::Shared::new(context, guard::Guard::of(address), opened, quiet);
        let router = routes::router(Arc::new(shared));
        runtime.spawn(async move { connection::serve(listener, router, &limits).await });
        runtime.block_on(async {
            while stop.reason().is_none() {
                tokio::time::sleep(PULSE).await;
            }
        });
        // Running computations are not awaited.
        runtime.shutdown_background();
    }
}
