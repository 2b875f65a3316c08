//! `eldest top`: what goes on at a coordinator, live, in a terminal.

mod screen;

use crate::{Failure, choices, output};
use clap::Args;
use cluster::{Client, Watched};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use report::live::Snapshot;
use screen::Screen;
use std::io::{IsTerminal, stdout};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How long to wait until a coordinator that went away is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Options of `eldest top`.
#[derive(Args, Debug)]
pub(crate) struct TopArgs {
    /// The coordinator, as in http://host:7171
    #[arg(long, value_name = "URL", env = "ELDEST_COORDINATOR")]
    coordinator: String,
    /// Time between two pictures, a quarter of a second at least
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = choices::time)]
    interval: Duration,
    /// How long to wait for the coordinator to answer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = choices::time)]
    patience: Duration,
    /// Print what goes on once, and end
    #[arg(long)]
    once: bool,
    /// Print it as one JSON object
    #[arg(long, requires = "once")]
    json: bool,
}

/// Shows the coordinator until `q` or Ctrl-C.
pub(crate) async fn run(args: &TopArgs) -> Result<(), Failure> {
    let mut watched = watch(args, args.patience).await?;
    if args.once {
        let text = watched.next().await?;
        return output::print(&if args.json { text } else { screen::lines(&read(&text)?) });
    }
    if !stdout().is_terminal() {
        let right = "give --once, or --once --json";
        return Err(Failure::given(format!("top needs a terminal to draw on; {right}")));
    }
    let mut keys = keys();
    let mut terminal = ratatui::init();
    let shown = show(&mut terminal, args, watched, &mut keys).await;
    ratatui::restore();
    shown
}

async fn watch(args: &TopArgs, patience: Duration) -> Result<Watched, Failure> {
    let mut client = Client::connect(&args.coordinator, patience).await?;
    Ok(client.watch(args.interval).await?)
}

/// Keys as they are pressed, read on a thread of their own.
fn keys() -> UnboundedReceiver<Event> {
    let (sender, keys) = unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.send(event).is_err() {
                break;
            }
        }
    });
    keys
}

async fn show(
    terminal: &mut DefaultTerminal,
    args: &TopArgs,
    watched: Watched,
    keys: &mut UnboundedReceiver<Event>,
) -> Result<(), Failure> {
    let failed = |error| Failure::run(format!("cannot draw on the terminal: {error}"));
    let mut screen = Screen::new(&args.coordinator);
    let mut watched = Some(watched);
    loop {
        terminal.draw(|frame| screen.draw(frame)).map_err(failed)?;
        tokio::select! {
            shown = next(args, &mut watched) => match shown {
                Ok(snapshot) => screen.take(snapshot),
                Err(lost) => {
                    screen.lose(&lost.to_string());
                    watched = None;
                }
            },
            event = keys.recv() => match event {
                Some(event) if ends(&event) => return Ok(()),
                Some(event) => turn(&mut screen, &event),
                None => return Ok(()),
            },
        }
    }
}

/// The next picture. A coordinator that went away is tried again after a while.
async fn next(args: &TopArgs, watched: &mut Option<Watched>) -> Result<Snapshot, Failure> {
    if watched.is_none() {
        tokio::time::sleep(RETRY).await;
        *watched = Some(watch(args, RETRY).await?);
    }
    match watched {
        Some(watched) => read(&watched.next().await?),
        None => Err(Failure::run("nobody is watched")),
    }
}

fn read(text: &str) -> Result<Snapshot, Failure> {
    let wrong = |error| Failure::run(format!("the coordinator is of another version: {error}"));
    serde_json::from_str(text).map_err(wrong)
}

fn ends(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind == KeyEventKind::Press
        && match key.code {
            KeyCode::Char('q') | KeyCode::Esc => true,
            KeyCode::Char('c') => control,
            _ => false,
        }
}

fn turn(screen: &mut Screen, event: &Event) {
    let Event::Key(key) = event else { return };
    match key.code {
        KeyCode::Down | KeyCode::Char('j') => screen.scroll(1),
        KeyCode::Up | KeyCode::Char('k') => screen.scroll(-1),
        KeyCode::PageDown => screen.scroll(10),
        KeyCode::PageUp => screen.scroll(-10),
        KeyCode::Tab => screen.next_table(),
        _ => {}
    }
}
