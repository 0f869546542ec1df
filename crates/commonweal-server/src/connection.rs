//! Connections: a limited number, each with a timeout for its request and for reading the answer. If there are as many as there may be, a
//! new one takes the place of the oldest whose client is waited for.

use crate::limits::Limits;
use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Sleep, sleep};

/// Serves every connection, for ever.
pub async fn serve(listener: TcpListener, router: Router, limits: &Limits) {
    /// A pause if the system has no file descriptors left, or all requests are being served.
    const BREATH: Duration = Duration::from_millis(50);
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.patience).max_headers(64).max_buf_size(64 << 10);
    let mut clients: VecDeque<Weak<Client>> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let place = loop {
            if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
                break place;
            }
            close_one(&mut clients);
            if let Ok(place) = tokio::time::timeout(BREATH, Arc::clone(&places).acquire_owned()).await {
                break place.expect("the places are never closed");
            }
        };
        // Disables Nagle's algorithm.
        let _ = stream.set_nodelay(true);
        let client = Arc::new(Client::default());
        clients.push_back(Arc::downgrade(&client));
        if clients.len() > 2 * limits.connections {
            clients.retain(|client| client.strong_count() > 0);
        }
        let own = Arc::clone(&client);
        let inner = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Arc::clone(&own));
            inner.call(request)
        });
        let stream = Arc::new(stream);
        let paced = Paced::new(Arc::clone(&stream), limits.patience);
        let connection = builder.serve_connection(TokioIo::new(paced), service);
        tokio::spawn(async move {
            let _place = place;
            tokio::select! {
                // A broken connection is ignored.
                _ = connection => {}
                () = client.closing.notified() => {}
                () = gone(&stream, &client) => {}
            }
        });
    }
}

/// Returns when the client of a request that is being served has closed its side. The HTTP library looks for that only while it has read nothing
/// after the request: a client that sends a byte more, and leaves, would be computed for until its time is over.
async fn gone(stream: &TcpStream, client: &Client) {
    /// Bytes that nobody reads would make this a busy loop.
    const PAUSE: Duration = Duration::from_millis(100);
    loop {
        let is_closed = stream.ready(Interest::READABLE).await.is_ok_and(|ready| ready.is_read_closed());
        if is_closed && client.phase.load(Ordering::Relaxed) == SERVED {
            return;
        }
        sleep(PAUSE).await;
    }
}

/// Who is at the other end of a connection: one who is waited for, or one whose request is being answered.
#[derive(Debug, Default)]
pub struct Client {
    phase: AtomicU8,
    closing: Notify,
}

/// The client has not sent all of its request, or reads the answer: its connection may be closed for another one.
const AWAITED: u8 = 0;
/// Its request waits for its turn or is being computed.
const SERVED: u8 = 1;
const CLOSED: u8 = 2;

impl Client {
    /// Keeps the connection open while a request of it is served: until the value is dropped.
    pub fn served(self: Arc<Client>) -> Served {
        let _ = self.phase.compare_exchange(AWAITED, SERVED, Ordering::Relaxed, Ordering::Relaxed);
        Served(self)
    }

    /// Closes the connection unless a request of it is served.
    fn close(&self) -> bool {
        let is_awaited = self.phase.compare_exchange(AWAITED, CLOSED, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_awaited {
            self.closing.notify_one();
        }
        is_awaited
    }
}

/// A request that is being served.
pub struct Served(Arc<Client>);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.phase.compare_exchange(SERVED, AWAITED, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Closes the oldest connection whose client is waited for, if there is one.
fn close_one(clients: &mut VecDeque<Weak<Client>>) {
    let closed = clients.iter().position(|client| client.upgrade().is_some_and(|client| client.close()));
    if let Some(at) = closed {
        clients.remove(at);
    }
}

/// A connection that ends if its client does not read: while bytes wait to be written, each `STRIDE` of them must leave within
/// `patience`. Without that, an answer would stay in memory, and its connection be taken, for as long as the client likes.
struct Paced {
    stream: Arc<TcpStream>,
    patience: Duration,
    /// When the present stride must be over; `None` while nothing waits.
    end: Option<Pin<Box<Sleep>>>,
    /// The bytes of the present stride that have left.
    written: usize,
}

/// The bytes that must leave within `patience`.
const STRIDE: usize = 64 << 10;

impl Paced {
    fn new(stream: Arc<TcpStream>, patience: Duration) -> Paced {
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

/// The bytes that left by an attempt to write, when the stream takes some.
fn written(
    stream: &TcpStream,
    context: &mut Context,
    attempt: impl Fn(&TcpStream) -> Result<usize>,
) -> Poll<Result<usize>> {
    loop {
        ready!(stream.poll_write_ready(context))?;
        match attempt(stream) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            done => return Poll::Ready(done),
        }
    }
}

impl AsyncRead for Paced {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context, buffer: &mut ReadBuf) -> Poll<Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            match self.stream.try_read(buffer.initialize_unfilled()) {
                Ok(n) => {
                    buffer.advance(n);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Paced {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<Result<usize>> {
        let attempt = written(&self.stream, context, |stream| stream.try_write(bytes));
        self.paced(context, attempt)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[IoSlice]) -> Poll<Result<usize>> {
        let attempt = written(&self.stream, context, |stream| stream.try_write_vectored(bytes));
        self.paced(context, attempt)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Called once everything is written.
    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context) -> Poll<Result<()>> {
        self.at_rest();
        Poll::Ready(Ok(()))
    }

    /// The connection is dropped next, which closes it.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }
}
