// First of all: a code or a token in the address must not outlive the moment it is read.
import './integrations/returned.js';
import './mailed/mailed-token.js';
import '@mantine/core/styles/default-css-variables.css';
import './app/mantine.css';
import './app/theme.css';
import './app/frame.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, firstPage } from './app/app.js';

/** By then a page that is still not there is waited for with words: a service may be down. */
const FRAME_ALONE_MS = 1_000;

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root.');
// Until the page is there the frame of index.html stays, which nothing would replace but emptiness.
await Promise.race([firstPage(), new Promise((resolve) => setTimeout(resolve, FRAME_ALONE_MS))]);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
