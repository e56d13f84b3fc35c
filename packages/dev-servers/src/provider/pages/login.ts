import { type Html, html } from './html.js';

export interface LoginForm {
  readonly heading: string;
  readonly action: string;
  readonly email?: string | undefined;
  readonly error?: string | undefined;
  /** Offers a way back to the app without signing in. */
  readonly cancellable: boolean;
}

export const loginForm = ({ heading, action, email, error, cancellable }: LoginForm): Html => html`
<h1>${heading}</h1>
<p class="notice">This is a <strong>development provider</strong>. Any e-mail address with any
password signs in, so never type a real password here.</p>
${error === undefined ? undefined : html`<p class="error" role="alert">${error}</p>`}
<form method="post" action="${action}">
<label>E-mail
<input type="email" name="email" value="${email ?? ''}" autocomplete="username" required autofocus>
</label>
<label>Password
<input type="password" name="password" autocomplete="current-password" required>
</label>
<div class="actions">
<button class="main" name="action" value="sign_in">Sign in</button>
${cancellable ? html`<button name="action" value="cancel" formnovalidate>Cancel</button>` : undefined}
</div>
</form>`;
