import type { Profile } from '../profile.js';
import { inPlainWords } from '../scopes.js';
import { type Html, html } from './html.js';

/** An app that has access to an account. */
export interface ConnectedApp {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly since: Date;
}

export const accountPage = (
  { name, sendsSecurityEvents }: Profile,
  accountId: string,
  apps: readonly ConnectedApp[],
): Html => html`
<h1>Your account at ${name}</h1>
<p>Signed in as <strong>${accountId}</strong>.</p>
<h2>Apps with access</h2>
${apps.length === 0 ? html`<p>No app has access to this account.</p>` : apps.map(card)}
${apps.length > 0 && sendsSecurityEvents ? HAPPENINGS : undefined}
<form method="post" action="/account/sign-out">
<button>Sign out</button>
</form>`;

/** Buttons for events that these apps are notified of. The account itself does not change. */
const HAPPENINGS = html`<h2>Security events</h2>
<p>Tell every app with access that you have:</p>
<form method="post" action="/account/security-events">
<div class="actions">
<button name="type" value="session-revoked">Signed out everywhere</button>
<button name="type" value="credential-change">Changed your password</button>
<button name="type" value="account-disabled">Disabled your account</button>
</div>
</form>`;

/** Each button has a label of its own, because a screen reader does not tell which card it is in. */
const card = ({ clientId, name, scopes, since }: ConnectedApp): Html => html`
<section class="card">
<h3>${name}</h3>
<p>Since <time datetime="${since.toISOString()}">${DATE.format(since)} UTC</time> it may:</p>
<ul>
${scopes.map((scope) => html`<li>${inPlainWords(scope)} <code>${scope}</code></li>\n`)}
</ul>
<form method="post" action="/account/revoke">
<input type="hidden" name="client_id" value="${clientId}">
<button aria-label="Revoke access of ${name}">Revoke access</button>
</form>
</section>`;

const DATE = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});
