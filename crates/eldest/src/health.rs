//! `eldest health`: asks a coordinator or worker whether it is well, for those who restart processes.

use crate::{Failure, choices, output};
use clap::Args;
use cluster::{Health, ask_health};
use std::time::Duration;

/// Options of `eldest health`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 it serves; 1 it does not, or nobody answers; 2 bad usage.")]
pub(crate) struct HealthArgs {
    /// The coordinator or worker, as in http://localhost:7171
    #[arg(value_name = "URL")]
    url: String,
    /// Which of its services, by its gRPC name; eldest.v1.PeerService of a worker serves while the worker
    /// is with a coordinator [default: the process as a whole]
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// How long it may take to answer
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = choices::time)]
    patience: Duration,
}

/// Asks once.
pub(crate) async fn run(args: &HealthArgs) -> Result<(), Failure> {
    let HealthArgs { url, service, patience } = args;
    let service = service.as_deref().unwrap_or_default();
    match ask_health(url, service, *patience).await? {
        Health::Serving => output::print("serving"),
        Health::NotServing => Err(Failure::run(format!("{url} answers, and does not serve"))),
        Health::UnknownService => {
            Err(Failure::run(format!("{url} answers, and has no service {service:?}")))
        }
        Health::Silent(cause) => Err(Failure::run(format!("{url} does not answer: {cause}"))),
    }
}
