import type { Page } from './page.js';
import { SECTIONS } from './pages.js';

const ABOUT = `# Junction

> Junction connects a user's mailbox and calendar through OAuth 2.0, keeps the tokens fresh and safe, hands them to
> internal workers over gRPC, and delivers assistant events to the user's HTTPS endpoints as signed webhooks.

Every page is Markdown at its address with \`.md\`. All of them in one file: [llms-full.txt](/llms-full.txt).`;

/** Returns the overview for programs that read pages, in the form of https://llmstxt.org. */
export function llmsText(): string {
  const sections = SECTIONS.map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map(({ path, label, summary }) => `- [${label}](${path}.md): ${summary}`).join('\n')}`,
  );
  return `${[ABOUT, ...sections].join('\n\n')}\n`;
}

/** Every page, one after another, each below its address. */
export const llmsFullText = (pages: readonly (readonly [Page, string])[]): string =>
  pages.map(([{ path }, markdown]) => `<!-- ${path} -->\n\n${markdown.trim()}\n`).join('\n\n');
