import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The first without the windows' part, which costs as much processor time again as the pages. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Arguments that keep the browser from looking up, fetching or storing anything beside the pages of a test. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The system's Chromium, without a window. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: programOnPath(), headless: true, args: ARGS });

function programOnPath(): string {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = PROGRAMS.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(
    isExecutable,
  );
  if (found === undefined) {
    throw new Error(
      `The browser tests need chromium, and none of ${PROGRAMS.join(', ')} is on the PATH: apt-get install -y chromium-headless-shell`,
    );
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
