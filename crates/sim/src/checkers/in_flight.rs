//! Messages in flight are bounded: [`InFlight`].

use crate::{Breach, Finished, Sight, Witness};
use ybw::Moment;

/// Most messages under way in one direction of a link for each slot behind it.
pub(super) const MAX_UNDER_WAY_PER_SLOT: usize = 64;

/// No link holds more messages than its slots can have caused.
pub(super) struct InFlight;

impl Witness for InFlight {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::Sent { worker, slots, under_way } = sight
            && under_way > MAX_UNDER_WAY_PER_SLOT * usize::from(slots)
        {
            let seen = format!("{under_way} between the coordinator and {slots} slots of {worker}");
            return Err(Breach::new("messages in flight are bounded", seen));
        }
        Ok(())
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}
