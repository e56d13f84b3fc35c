import type { BrowserContext, ConsoleMessage } from 'playwright-core';

/** What a browser held against our pages: errors of scripts, of the console, of the page's policy. */
export type Complaints = readonly string[];

/** Listens to everything that is opened in this context from now on. */
export async function complaintsOf(context: BrowserContext, origin: string): Promise<Complaints> {
  const complaints: string[] = [];
  await context.exposeFunction('reportViolation', (words: string) => complaints.push(words));
  await context.addInitScript(() => {
    const { reportViolation } = globalThis as typeof globalThis & Reporting;
    document.addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber } = event;
      reportViolation(`${violatedDirective} forbids ${blockedURI} (${sourceFile}:${lineNumber})`);
    });
  });
  context.on('weberror', (error) => complaints.push(`error: ${error.error().stack}`));
  context.on('console', (message) => {
    if (message.type() !== 'error' || !message.location().url.startsWith(origin)) return;
    if (isAnswerOfTheApi(message)) return;
    // With the place: what was not loaded is named nowhere else.
    complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  return complaints;
}

interface Reporting {
  readonly reportViolation: (words: string) => void;
}

/** Every refusal (401 before sign-in, 409 for a taken address) is on the console, and is no mistake. */
const isAnswerOfTheApi = (message: ConsoleMessage): boolean =>
  message.text().startsWith('Failed to load resource') &&
  new URL(message.location().url).pathname.startsWith('/api/');
