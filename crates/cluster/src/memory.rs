//! Tables that fit into this machine, or a clear refusal: [`make_table`].

use crate::Error;
use search::Table;
use std::sync::Arc;

/// A table of `mib` MiB; none for 0.
///
/// # Errors
/// [`Error::Table`] if it is larger than this machine's memory, or the system does not give so much.
pub fn make_table(mib: u32) -> Result<Option<Arc<Table>>, Error> {
    if mib == 0 {
        return Ok(None);
    }
    check_table(mib)?;
    let refused = |_| Error::Table { mib, wrong: "the system does not give so much".to_string() };
    Ok(Some(Arc::new(Table::try_new(mib).map_err(refused)?)))
}

/// Refuses a table that this machine cannot hold. A system that promises more memory than it has
/// would grant it and end the process once the table is filled.
pub(crate) fn check_table(mib: u32) -> Result<(), Error> {
    check_against(mib, physical_mib())
}

fn check_against(mib: u32, physical: Option<u64>) -> Result<(), Error> {
    match physical {
        Some(physical) if u64::from(mib) >= physical => {
            Err(Error::Table { mib, wrong: format!("this machine has {physical} MiB") })
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn physical_mib() -> Option<u64> {
    let info = rustix::system::sysinfo();
    #[allow(clippy::useless_conversion, reason = "narrower on 32-bit machines")]
    let units = u64::from(info.totalram);
    Some(units.saturating_mul(info.mem_unit.into()) >> 20)
}

#[cfg(not(target_os = "linux"))]
fn physical_mib() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_as_large_as_the_machine_is_refused_naming_both_sizes() {
        let error = check_against(4096, Some(4096)).unwrap_err();
        let text = error.to_string();
        assert!(error.is_usage() && text.contains("table of 4096 MiB"), "{text}");
        assert!(text.contains("has 4096 MiB"), "{text}");
        assert!(check_against(4095, Some(4096)).is_ok() && check_against(4096, None).is_ok());
        assert!(make_table(0).unwrap().is_none() && make_table(1).unwrap().is_some());
    }
}
