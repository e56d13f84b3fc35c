import { inPlainWords, isOptional } from '../scopes.js';
import { type Html, html } from './html.js';

export interface ConsentForm {
  readonly appName: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly action: string;
}

export const consentForm = ({ appName, accountId, scopes, action }: ConsentForm): Html => html`
<h1>Let ${appName} use your account?</h1>
<p>Signed in as <strong>${accountId}</strong>.</p>
<form method="post" action="${action}">
${choices(appName, scopes.filter(isOptional))}
${always(scopes.filter((scope) => !isOptional(scope)))}
<div class="actions">
<button class="main" name="action" value="allow">Allow</button>
<button name="action" value="deny">Deny</button>
</div>
<p><button class="quiet" name="action" value="switch">Use another account</button></p>
</form>`;

const choices = (appName: string, scopes: readonly string[]): Html | undefined =>
  scopes.length === 0
    ? undefined
    : html`<fieldset>
<legend>${appName} asks to</legend>
${scopes.map(choice)}
</fieldset>`;

const choice = (scope: string): Html => html`<label class="choice">
<input type="checkbox" name="scope" value="${scope}" checked>
<span>${inPlainWords(scope)} <code>${scope}</code></span>
</label>
`;

const always = (scopes: readonly string[]): Html | undefined =>
  scopes.length === 0
    ? undefined
    : html`<p>If you allow it, it may also:</p>
<ul>
${scopes.map((scope) => html`<li>${inPlainWords(scope)} <code>${scope}</code></li>\n`)}
</ul>`;
