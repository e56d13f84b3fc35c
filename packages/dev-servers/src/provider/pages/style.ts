/**
 * The only style of all pages. The policy in `page.ts` allows it by its hash and nothing else. The class
 * of the body is the id of the provider's profile, and gives each provider a colour of its own.
 */
export const STYLE = `
:root { color-scheme: light dark; --edge: #767676; --soft: #8881; }
.acme { --accent: #2456c9; --on-accent: #fff; }
.globex { --accent: #0b6b4f; --on-accent: #fff; }
@media (prefers-color-scheme: dark) {
.acme { --accent: #9db8ff; --on-accent: #10182c; }
.globex { --accent: #7fd6b4; --on-accent: #0a2018; }
}
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
header { background: var(--accent); color: var(--on-accent); padding: .75rem 1rem; text-align: center; }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1rem 2rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2, h3 { font-size: 1.125rem; line-height: 1.25; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
.notice, .card, fieldset { border: 1px solid var(--edge); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; }
.notice { background: var(--soft); font-size: .875rem; }
.error { border-left: .25rem solid #c62828; padding-left: .75rem; }
label { display: block; margin: 0 0 1rem; }
legend { font-weight: 600; padding: 0 .25rem; }
input[type=email], input[type=password] { display: block; width: 100%; font: inherit; padding: .5rem .625rem; margin-top: .25rem; border: 1px solid var(--edge); border-radius: .375rem; }
.choice { display: flex; gap: .75rem; align-items: flex-start; margin: .5rem 0; }
.choice input { width: 1.125rem; height: 1.125rem; margin: .2rem 0 0; flex: none; accent-color: var(--accent); }
ul { padding-left: 1.25rem; margin: .5rem 0; }
code { font-size: .8125rem; opacity: .75; display: block; overflow-wrap: anywhere; }
.actions { display: flex; gap: .75rem; flex-wrap: wrap; margin: 0 0 1rem; }
button { font: inherit; padding: .5rem 1.25rem; border-radius: .375rem; border: 1px solid var(--edge); background: transparent; color: inherit; cursor: pointer; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.quiet { border: 0; padding: 0; text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
