import type { BrowserContext, ConsoleMessage } from 'playwright-core';

/** Errors that a browser reported about our pages: of scripts, of the console, of the content security policy. */
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
    // The location is part of the complaint, because nothing else names the file that was not loaded.
    complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  return complaints;
}

interface Reporting {
  readonly reportViolation: (words: string) => void;
}

/**
 * Returns whether a message is about a refusal of the API (401 before sign-in, 409 for a taken address). The console
 * shows refusals, but they are no mistakes.
 */
const isAnswerOfTheApi = (message: ConsoleMessage): boolean =>
  message.text().startsWith('Failed to load resource') &&
  new URL(message.location().url).pathname.startsWith('/api/');
