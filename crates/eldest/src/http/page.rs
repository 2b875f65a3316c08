//! The coordinator's page: what goes on there, live, and searches started from it.

use crate::watching::Watching;
use axum::body::Body;
use axum::extract::{Json, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Router, middleware};
use cluster::{Client, SearchOrder, SearchUpdate};
use game::{Depth, Setup};
use search::Catalogue;
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::io::ReaderStream;
use ybw::SearchId;

/// How often those who look are shown a new picture.
const INTERVAL: Duration = Duration::from_millis(500);
/// How long the coordinator of this very process may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The page needs nothing but its own files.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the page shows and does.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The picture of the coordinator.
    pub(crate) watching: Watching,
    /// The games that may be searched.
    pub(crate) catalogue: Catalogue,
    /// The coordinator's own address, as in `http://127.0.0.1:7171`.
    pub(crate) coordinator: String,
    /// The trace that is being written.
    pub(crate) trace: Option<PathBuf>,
}

/// Everything under `/`.
pub(crate) fn routes(page: Page) -> Router {
    let file =
        |kind: &'static str, text: &'static str| get(async move || ([(CONTENT_TYPE, kind)], text));
    Router::new()
        .route("/", file("text/html; charset=utf-8", include_str!("page/index.html")))
        .route("/page.css", file("text/css; charset=utf-8", include_str!("page/page.css")))
        .route("/page.js", file("text/javascript; charset=utf-8", include_str!("page/page.js")))
        .route("/favicon.ico", file("image/svg+xml", include_str!("page/icon.svg")))
        .route("/icon.svg", file("image/svg+xml", include_str!("page/icon.svg")))
        .route("/api/snapshot", get(snapshot))
        .route("/api/events", get(events))
        .route("/api/games", get(games))
        .route("/api/searches", post(search))
        .route("/api/searches/{search}", delete(abort))
        .route("/api/trace", get(trace))
        .layer(middleware::map_response(guarded))
        .with_state(page)
}

/// Lets a browser run nothing but the page's own script.
async fn guarded(mut response: Response) -> Response {
    let headers: [(HeaderName, &'static str); 4] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn snapshot(State(page): State<Page>) -> Response {
    ([(CONTENT_TYPE, "application/json")], page.watching.json()).into_response()
}

/// Pictures for as long as somebody looks. Who reads slowly is shown fewer, not older ones.
async fn events(State(page): State<Page>) -> impl IntoResponse {
    let (sender, shown) = mpsc::channel::<Result<Event, Infallible>>(1);
    tokio::spawn(async move {
        let mut ticker = interval(INTERVAL);
        ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticker.tick() => {}
                () = sender.closed() => return,
            }
            let Ok(place) = sender.reserve().await else { return };
            place.send(Ok(Event::default().data(page.watching.json())));
        }
    });
    Sse::new(ReceiverStream::new(shown)).keep_alive(KeepAlive::default())
}

async fn games(State(page): State<Page>) -> Response {
    let trace = page.trace.is_some();
    Json(json!({ "games": page.catalogue.names(), "trace": trace })).into_response()
}

/// A search asked for on the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    game: String,
    #[serde(default)]
    position: String,
    /// `full` or plies; empty for full.
    #[serde(default)]
    depth: String,
}

impl Wanted {
    /// What is to be searched, or what is wrong with it.
    fn setup(self, catalogue: &Catalogue) -> Result<Setup, String> {
        let depth = match self.depth.trim() {
            "" => Depth::FULL,
            text => crate::choices::depth(text).map_err(|wrong| format!("depth {wrong}"))?,
        };
        let (game, position) = (self.game.trim(), self.position.trim().to_string());
        let mut setup = Setup { position, depth, ..Setup::new(game) };
        let problem = catalogue.prepare(&setup).map_err(|error| error.to_string())?;
        setup.min_split = problem.split_floor();
        Ok(setup)
    }
}

/// Starts a search as any other client would. It goes on whether anybody looks or not.
async fn search(State(page): State<Page>, Json(wanted): Json<Wanted>) -> Response {
    let setup = match wanted.setup(&page.catalogue) {
        Ok(setup) => setup,
        Err(wrong) => return refused(StatusCode::BAD_REQUEST, &wrong),
    };
    let order = SearchOrder { setup, processors: 0, limit: None };
    match submit(&page.coordinator, order).await {
        Ok(search) => Json(json!({ "search": search })).into_response(),
        Err(error) => refused(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()),
    }
}

async fn submit(url: &str, order: SearchOrder) -> Result<SearchId, cluster::Error> {
    let mut followed = Client::connect(url, PATIENCE).await?.submit(order).await?;
    loop {
        if let SearchUpdate::Accepted(search) = followed.next().await? {
            tokio::spawn(async move {
                if let Err(error) = followed.answer(|_| {}).await {
                    tracing::warn!(%search, %error, "a search of the page has no answer");
                }
            });
            return Ok(search);
        }
    }
}

async fn abort(State(page): State<Page>, Path(search): Path<u64>) -> Response {
    let abort =
        async { Client::connect(&page.coordinator, PATIENCE).await?.abort(SearchId(search)).await };
    match abort.await {
        Ok(true) => StatusCode::NO_CONTENT.into_response(),
        Ok(false) => refused(StatusCode::NOT_FOUND, &format!("there is no search {search}")),
        Err(error) => refused(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()),
    }
}

/// The trace as far as it is written.
async fn trace(State(page): State<Page>) -> Response {
    let Some(path) = &page.trace else {
        let right = "no trace is written; start the coordinator with --trace FILE";
        return refused(StatusCode::NOT_FOUND, right);
    };
    let name = path.file_name().map_or("trace".into(), |name| name.to_string_lossy());
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' })
        .collect();
    match tokio::fs::File::open(path).await {
        Ok(file) => {
            let headers = [
                (CONTENT_TYPE, "application/octet-stream".to_string()),
                (CONTENT_DISPOSITION, format!("attachment; filename=\"{plain}\"")),
            ];
            (headers, Body::from_stream(ReaderStream::new(file))).into_response()
        }
        Err(error) => refused(StatusCode::NOT_FOUND, &format!("the trace cannot be read: {error}")),
    }
}

fn refused(status: StatusCode, wrong: &str) -> Response {
    (status, Json(json!({ "error": wrong }))).into_response()
}
