import type { Context } from '../context.js';
import { html } from './html.js';
import { sendPage } from './page.js';

/** Says what went wrong and what to do. */
export function problemPage(ctx: Context, status: number, message: string): void {
  const title = 'That did not work';
  const body = html`<h1>${title}</h1>
<p class="error" role="alert">${message}</p>
<p>Go back to the app and start again, or see <a href="/account">your account</a>.</p>`;
  sendPage(ctx, { title, body, status });
}
