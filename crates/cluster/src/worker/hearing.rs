//! Where other workers reach this one to tell it what they found out: [`Hearing`].

use crate::Error;
use crate::error::chain;
use crate::health::report_joined;
use crate::link;
use crate::peers::{Ear, service};
use crate::searches::Searches;
use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tonic::transport::Uri;
use tonic::transport::server::TcpIncoming;

/// An address that is listened on until this is dropped.
#[derive(Debug)]
pub(super) struct Hearing {
    pub(super) address: SocketAddr,
    server: AbortHandle,
}

impl Hearing {
    /// Listens at `address`; port 0 takes a free one. Its health follows whether the worker has `joined`.
    pub(super) async fn at(
        address: SocketAddr,
        searches: Searches,
        joined: watch::Receiver<bool>,
    ) -> Result<Hearing, Error> {
        let failed = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let incoming = TcpIncoming::from(listener)
            .with_nodelay(Some(true))
            .with_keepalive(Some(link::TCP_KEEPALIVE));
        let (reporter, health) = tonic_health::server::health_reporter();
        let server = link::server().add_service(health).add_service(service(Ear::new(searches)));
        let serve = async move {
            let serving = server.serve_with_incoming(incoming);
            let (served, ()) = tokio::join!(serving, report_joined(reporter, joined));
            if let Err(error) = served {
                tracing::warn!(reason = chain(&error), "other workers cannot reach this one");
            }
        };
        Ok(Hearing { address, server: tokio::spawn(serve).abort_handle() })
    }

    /// Where others reach this host: the address that is listened on or, if it listens on all of them, that
    /// of the interface by which the coordinator is reached.
    pub(super) async fn reached_at(&self, coordinator: &Uri) -> io::Result<SocketAddr> {
        if !self.address.ip().is_unspecified() {
            return Ok(self.address);
        }
        Ok(SocketAddr::new(interface_to(coordinator).await?, self.address.port()))
    }

    /// Listens on the interface that this host reaches the coordinator by, at a free port.
    pub(super) async fn near(
        coordinator: &Uri,
        searches: Searches,
        joined: watch::Receiver<bool>,
    ) -> Result<Hearing, Error> {
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        let failed = |source| Error::Listen { address: nowhere, source };
        let interface = interface_to(coordinator).await.map_err(failed)?;
        Hearing::at(SocketAddr::new(interface, 0), searches, joined).await
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The address of this host that the system would use to reach another. Nothing is sent.
async fn interface_to(uri: &Uri) -> io::Result<IpAddr> {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = uri.port_u16().unwrap_or(80);
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in tokio::net::lookup_host((host, port)).await? {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
            SocketAddr::V6(_) => ([0; 16], 0).into(),
        };
        let socket = UdpSocket::bind(any).await?;
        match socket.connect(address).await {
            Ok(()) => return Ok(socket.local_addr()?.ip()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_interface_to_loopback_is_loopback() {
        for (url, ip) in [("http://127.0.0.1:7171", "127.0.0.1"), ("http://127.0.0.1", "127.0.0.1")]
        {
            let found = interface_to(&url.parse().unwrap()).await.unwrap();
            assert_eq!(found.to_string(), ip);
        }
    }
}
