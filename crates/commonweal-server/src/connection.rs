//! Connections: a limited number, each with a timeout for its request.

use crate::limits::Limits;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Serves every connection, for ever.
pub async fn serve(listener: TcpListener, router: Router, limits: &Limits) {
    /// A pause if the system has no file descriptors left.
    const BREATH: Duration = Duration::from_millis(50);
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.patience).max_headers(64).max_buf_size(64 << 10);
    loop {
        let place = Arc::clone(&places).acquire_owned().await.expect("the places are never closed");
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        // Disables Nagle's algorithm.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let _place = place;
            // A broken connection is ignored.
            let _ = connection.await;
        });
    }
}
