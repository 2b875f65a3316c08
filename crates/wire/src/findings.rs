//! What was found out, as workers and the coordinator tell it: [`Shared`].

use crate::error::{Malformed, present};
use crate::{MAX_FINDINGS, v1};
use game::{Entry, Finding};
use ybw::{SearchId, WorkerId};

/// What one process tells another.
#[derive(Clone, PartialEq, Debug)]
pub struct Shared {
    /// The search it was found out in.
    pub search: SearchId,
    /// The process that says so, which need not have found it out.
    pub from: WorkerId,
    /// What was found out.
    pub findings: Vec<Finding>,
}

impl From<Shared> for v1::ShareRequest {
    fn from(shared: Shared) -> v1::ShareRequest {
        let Shared { search, from, findings } = shared;
        let findings = Some(findings_out(&findings));
        v1::ShareRequest { search: search.0, findings, from: from.0 }
    }
}

impl TryFrom<v1::ShareRequest> for Shared {
    type Error = Malformed;
    fn try_from(request: v1::ShareRequest) -> Result<Shared, Malformed> {
        let v1::ShareRequest { search, findings, from } = request;
        let (search, from) = (SearchId(search), WorkerId(from));
        Ok(Shared { search, from, findings: findings_in(findings)? })
    }
}

/// Findings as they are sent; what follows the first [`MAX_FINDINGS`] is left out.
pub(crate) fn findings_out(findings: &[Finding]) -> v1::Findings {
    let findings = &findings[..findings.len().min(MAX_FINDINGS)];
    v1::Findings {
        keys: findings.iter().map(|finding| finding.key).collect(),
        entries: findings.iter().map(|finding| finding.entry.to_bits()).collect(),
    }
}

pub(crate) fn findings_in(findings: Option<v1::Findings>) -> Result<Vec<Finding>, Malformed> {
    let v1::Findings { keys, entries } = present(findings, "the findings")?;
    Malformed::if_longer("the number of findings", keys.len(), MAX_FINDINGS)?;
    let count = keys.len() as u64;
    Malformed::unless_within("the number of entries", entries.len() as u64, count, count)?;
    let finding = |(&key, &bits): (&u64, &u64)| {
        let entry = present(Entry::from_bits(bits), "the bound or score of an entry")?;
        Ok(Finding { key, entry })
    };
    keys.iter().zip(&entries).map(finding).collect()
}
