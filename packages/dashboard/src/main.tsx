// First of all: a code or a token in the address must not outlive the moment it is read.
import './integrations/returned.js';
import './mailed/mailed-token.js';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/baseline.css';
import './app/theme.css';
import './app/frame.css';
import { reloadOnce } from './api/chunk.js';
import { mayHaveSession, signInPath } from './session/may-have-session.js';

/** Pages that are for visitors without a session too: those that providers and mails lead to. */
const PUBLIC =
  /^\/(connect|forgot-password|reset-password|verify-email|undo-changes|deletion-receipts)\//;
const ENTRY = /^\/sign-(in|up)$/;

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root.');

const { pathname, search } = window.location;
if (!mayHaveSession() && !ENTRY.test(pathname) && !PUBLIC.test(`${pathname}/`)) {
  history.replaceState(null, '', signInPath(pathname + search));
}
const isEntry = ENTRY.test(window.location.pathname);
try {
  const { start } = await (isEntry ? import('./session/start.js') : import('./app/start.js'));
  await start(root);
} catch (error) {
  if (!reloadOnce()) throw error;
}
