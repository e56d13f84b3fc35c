// First of all: a code or a token in the address must not outlive the moment it is read.
import './integrations/returned.js';
import './mailed/mailed-token.js';
import '@mantine/core/styles.css';
import '@mantine/core/styles/default-css-variables.css';
import './app/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
