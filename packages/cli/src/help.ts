/** The first help: which commands there are, on one screen. `junction help COMMAND` has the rest. */
export const HELP = `Usage: junction COMMAND [options]       junction help COMMAND says more

Developers, at the HTTP API:
  login, logout    with address and password, or an API key
  status           who you are, does it answer, which webhooks fail
  connections      mailboxes and calendars that are connected
  webhooks         list, show, create, delete, pause, resume, disable, enable
  deliveries       tail, list, show, resend, replay
  trigger          send a webhook the example of a kind of event
  listen           events to a receiver on your machine, no public address
  mcp              the same for assistants (Model Context Protocol)
  completion       for bash, zsh and fish; version, --version: of this command
Operators, at the services' own ports:
  events, projections, restore      what is stored, and what is made of it
  consumers, dlq                    what is read, and what could not be handled
  health, doctor, audit             is all well; who looked at what
  circuits, shards, pauses, deliveries backlog, webhooks failing   sending
  users, operators, clients, portal-link   people, services, pages in a frame
  keys, auth, webhooks rotate-keys  keys that seal, and keys that sign

Anywhere on the line: --json, for programs; --url, --api-key (JUNCTION_URL,
JUNCTION_API_KEY), whom developers ask and as whom, if not as logged in;
-s, of operators. They ask as npm start in a checkout, or JUNCTION_CLIENT_ID.
Ends with 0 done, 1 refused or failed, 2 asked wrongly.
`;
