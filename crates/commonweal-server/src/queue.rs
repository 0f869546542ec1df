//! Concurrency: a limited number of requests compute, some wait, and each stops at the time limit or when its client disconnects.

use crate::limits::Limits;
use crate::problem::Problem;
use commonweal::StopSignal;
use commonweal::limits::StopReason;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A computation polls its signal between its steps. One that has not ended this long after the limit is no longer awaited; it
/// keeps its slot until it ends.
const GRACE: Duration = Duration::from_secs(5);

/// The slots of computing and waiting requests.
#[derive(Debug)]
pub struct Queue {
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
}

/// Raises a signal when it is dropped, together with the request of a client that disconnects.
struct RaisedOnDrop(StopSignal);

impl Drop for RaisedOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// A waiting request.
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Queue {
    pub fn new(limits: &Limits) -> Queue {
        Queue {
            places: Arc::new(Semaphore::new(limits.running)),
            waiting: Arc::default(),
            most_waiting: limits.waiting,
        }
    }

    /// What `work` returns, when its turn has come, on a thread of its own. It is asked to stop after `limit`, and as soon as the
    /// request that waits for it goes away.
    pub async fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&StopSignal) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let place = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                let before = self.waiting.fetch_add(1, Ordering::Relaxed);
                let _waiting = Waiting(Arc::clone(&self.waiting));
                if before >= self.most_waiting {
                    return Err(Problem::busy());
                }
                Arc::clone(&self.places).acquire_owned().await.expect("the places are never closed")
            }
        };
        let stop = StopSignal::after(limit);
        let _raised_on_drop = RaisedOnDrop(stop.clone());
        let working = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&stop)
        });
        match tokio::time::timeout(limit + GRACE, working).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_panic)) => Err(Problem::internal()),
            Err(_elapsed) => Err(Problem::out_of_time(StopReason::TimeLimit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn queue() -> Arc<Queue> {
        Arc::new(Queue::new(&Limits { running: 1, waiting: 1, ..Limits::default() }))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_one_too_many_is_sent_away_and_the_others_get_their_turn() {
        let queue = queue();
        let (go, wait) = mpsc::channel::<()>();
        let minute = Duration::from_secs(60);
        let (started, has_started) = tokio::sync::oneshot::channel();
        let own = Arc::clone(&queue);
        let first = tokio::spawn(async move {
            let work = move |_: &StopSignal| {
                started.send(()).expect("somebody waits");
                wait.recv().expect("a word to go on");
                1
            };
            own.run(minute, work).await
        });
        has_started.await.expect("the first one computes");
        let own = Arc::clone(&queue);
        let second = tokio::spawn(async move { own.run(minute, |_| 2).await });
        while queue.waiting.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(queue.run(minute, |_| 3).await, Err(Problem::busy()));
        go.send(()).expect("the first one waits");
        assert_eq!((first.await.unwrap(), second.await.unwrap()), (Ok(1), Ok(2)));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_for_a_client_that_went_away_is_asked_to_stop() {
        let queue = queue();
        let (told, heard) = mpsc::channel();
        let work = move |stop: &StopSignal| {
            while stop.reason().is_none() {
                std::thread::yield_now();
            }
            told.send(stop.reason()).expect("the test listens");
        };
        let asked = tokio::time::timeout(Duration::from_millis(50), queue.run(Duration::from_secs(60), work));
        assert!(asked.await.is_err());
        assert_eq!(heard.recv().expect("the work ends"), Some(StopReason::Interrupted));
    }
}
