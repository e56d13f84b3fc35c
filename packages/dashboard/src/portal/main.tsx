// First of all: the token in the address must not outlive the moment it is read.
import { linkToken } from './link-token.js';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/baseline.css';
import '../app/mantine.css';
import '../app/theme.css';
import '../app/frame.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { setAccess } from '../api/client.js';
import { isRefused } from '../api/problem.js';
import { followSystem } from './appearance.js';
import { leaveInNewTabs } from './leaving.js';
import { type Opened, Portal } from './portal.js';
import { asNobody, openPortal } from './portal-access.js';

const root = document.getElementById('root');
if (!root) throw new Error('portal.html has no element #root.');
followSystem();
leaveInNewTabs();
// The dashboard may be open in the same browser: its session is not this one.
setAccess(asNobody);
createRoot(root).render(
  <StrictMode>
    <Portal opened={await open()} open={open} />
  </StrictMode>,
);

async function open(): Promise<Opened | 'unreachable'> {
  if (window.parent === window) return 'alone';
  if (linkToken === '') return 'no_link';
  try {
    const session = await openPortal(linkToken);
    // The gateway lets no other site frame this page; where the browser tells which it is, it has to be this one.
    const [framedBy] = (location as Partial<Location>).ancestorOrigins ?? [];
    return framedBy === undefined || framedBy === session.origin ? session : 'elsewhere';
  } catch (error) {
    return isRefused(error) ? 'no_link' : 'unreachable';
  }
}
