//! What clients ask for and are told: [`SearchOrder`] and [`SearchUpdate`].

use crate::error::{Malformed, present};
use crate::vocabulary::depth;
use crate::{Answer, v1};
use game::{Depth, Setup, Tally};
use std::time::Duration;
use v1::search_response::Update;
use ybw::{MAX_PATH, SearchId};

/// A search as a client asks for it.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchOrder {
    /// What to search and how.
    pub setup: Setup,
    /// How many slots may work at it, spread over the workers; 0 for all there are.
    pub processors: u32,
    /// The search is given up so long after it began.
    pub limit: Option<Duration>,
}

/// How a search stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// The depth searched now.
    pub depth: Depth,
    /// What is accounted for so far.
    pub tally: Tally,
    /// Slots it may use.
    pub slots: u32,
    /// Slots without a job.
    pub idle_slots: u32,
    /// Jobs at workers.
    pub jobs: u32,
    /// Brothers that wait for a slot.
    pub waiting: u32,
    /// The best line so far in the game's notation; empty while there is none.
    pub line_text: Vec<String>,
}

/// What a client is told of its search.
#[derive(Clone, PartialEq, Debug)]
pub enum SearchUpdate {
    /// It has a name now.
    Accepted(SearchId),
    /// It waits for so many others.
    Queued {
        /// Searches before it.
        ahead: u32,
    },
    /// It goes on.
    Progress(Standing),
    /// It is over.
    Answer(Box<Answer>),
}

impl From<SearchOrder> for v1::SearchRequest {
    fn from(order: SearchOrder) -> v1::SearchRequest {
        let limit_ms = order.limit.map_or(0, |limit| limit.as_millis().max(1));
        v1::SearchRequest {
            setup: Some((&order.setup).into()),
            processors: order.processors,
            limit_ms: u64::try_from(limit_ms).unwrap_or(u64::MAX),
        }
    }
}

impl TryFrom<v1::SearchRequest> for SearchOrder {
    type Error = Malformed;
    fn try_from(request: v1::SearchRequest) -> Result<SearchOrder, Malformed> {
        let limit = (request.limit_ms > 0).then(|| Duration::from_millis(request.limit_ms));
        Ok(SearchOrder {
            setup: present(request.setup, "the setup")?.try_into()?,
            processors: request.processors,
            limit,
        })
    }
}

impl From<SearchUpdate> for v1::SearchResponse {
    fn from(update: SearchUpdate) -> v1::SearchResponse {
        let update = match update {
            SearchUpdate::Accepted(search) => Update::Accepted(v1::Accepted { search: search.0 }),
            SearchUpdate::Queued { ahead } => Update::Queued(v1::Queued { ahead }),
            SearchUpdate::Progress(standing) => Update::Progress(standing.into()),
            SearchUpdate::Answer(answer) => Update::Answer((*answer).into()),
        };
        v1::SearchResponse { update: Some(update) }
    }
}

impl TryFrom<v1::SearchResponse> for SearchUpdate {
    type Error = Malformed;
    fn try_from(response: v1::SearchResponse) -> Result<SearchUpdate, Malformed> {
        Ok(match present(response.update, "a known kind of update")? {
            Update::Accepted(v1::Accepted { search }) => SearchUpdate::Accepted(SearchId(search)),
            Update::Queued(v1::Queued { ahead }) => SearchUpdate::Queued { ahead },
            Update::Progress(progress) => SearchUpdate::Progress(progress.try_into()?),
            Update::Answer(answer) => SearchUpdate::Answer(Box::new(answer.try_into()?)),
        })
    }
}

impl From<Standing> for v1::SearchProgress {
    fn from(standing: Standing) -> v1::SearchProgress {
        v1::SearchProgress {
            depth: standing.depth.code().into(),
            tally: Some(standing.tally.into()),
            slots: standing.slots,
            idle_slots: standing.idle_slots,
            jobs: standing.jobs,
            waiting: standing.waiting,
            line_text: standing.line_text,
        }
    }
}

impl TryFrom<v1::SearchProgress> for Standing {
    type Error = Malformed;
    fn try_from(progress: v1::SearchProgress) -> Result<Standing, Malformed> {
        Malformed::if_longer("the length of the line", progress.line_text.len(), MAX_PATH)?;
        Ok(Standing {
            depth: depth(progress.depth)?,
            tally: progress.tally.unwrap_or_default().try_into()?,
            slots: progress.slots,
            idle_slots: progress.idle_slots,
            jobs: progress.jobs,
            waiting: progress.waiting,
            line_text: progress.line_text,
        })
    }
}
