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

/**
 * Milliseconds for which the frame waits alone for the first page. After them the app says that it is loading: a
 * service may be down.
 */
const FRAME_ALONE_MS = 1_000;

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root.');
// The frame of index.html stays until the first page is there. Rendering earlier would replace the frame with
// emptiness.
await Promise.race([firstPage(), new Promise((resolve) => setTimeout(resolve, FRAME_ALONE_MS))]);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
