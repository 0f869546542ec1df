//! Connections: a limited number, each with a timeout for its request and for reading the answer.

use crate::limits::Limits;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};

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
        let connection = builder.serve_connection(TokioIo::new(Paced::new(stream, limits.patience)), service);
        tokio::spawn(async move {
            let _place = place;
            // A broken connection is ignored.
            let _ = connection.await;
        });
    }
}

/// A connection that ends if its client does not read: while bytes wait to be written, each `STRIDE` of them must leave within
/// `patience`. Without that, an answer would stay in memory, and its connection be taken, for as long as the client likes.
struct Paced {
    stream: TcpStream,
    patience: Duration,
    /// When the present stride must be over; `None` while nothing waits.
    end: Option<Pin<Box<Sleep>>>,
    /// The bytes of the present stride that have left.
    written: usize,
}

/// The bytes that must leave within `patience`.
const STRIDE: usize = 64 << 10;

impl Paced {
    fn new(stream: TcpStream, patience: Duration) -> Paced {
        Paced { stream, patience, end: None, written: 0 }
    }

    /// Takes note of an attempt to write.
    fn paced(&mut self, context: &mut Context, attempt: Poll<Result<usize>>) -> Poll<Result<usize>> {
        match attempt {
            Poll::Ready(Ok(n)) => {
                self.written += n;
                if self.written >= STRIDE {
                    self.at_rest();
                }
                Poll::Ready(Ok(n))
            }
            Poll::Ready(error) => Poll::Ready(error),
            Poll::Pending => {
                let end = self.end.get_or_insert_with(|| Box::pin(sleep(self.patience)));
                ready!(end.as_mut().poll(context));
                Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read its answer")))
            }
        }
    }

    fn at_rest(&mut self) {
        (self.end, self.written) = (None, 0);
    }
}

impl AsyncRead for Paced {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context, buffer: &mut ReadBuf) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Paced {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.paced(context, attempt)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[IoSlice]) -> Poll<Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.paced(context, attempt)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called once everything is written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Result<()>> {
        self.at_rest();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
