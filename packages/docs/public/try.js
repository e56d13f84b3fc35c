// Starts Swagger UI on the page where the API is tried out. It asks nobody but this origin.
const { scheme } = document.documentElement.dataset;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => {
  const isDark = scheme === undefined ? prefersDark.matches : scheme === 'dark';
  document.documentElement.classList.toggle('dark-mode', isDark);
};
follow();
prefersDark.addEventListener('change', follow); // a system turns dark in the evening

/** Names that the viewer does not give, and what a keyboard has to reach. */
const ATTRIBUTES = [
  ['textarea.body-param__text', 'aria-label', 'Body of the request'],
  ['.close-modal', 'aria-label', 'Close'],
  ['.auth-btn-wrapper .authorize', 'aria-label', 'Authorize'],
  ['.operation-filter-input', 'aria-label', 'Filter by tag or path'],
  ['.microlight', 'tabindex', '0'],
];
new MutationObserver(() => {
  for (const [where, name, value] of ATTRIBUTES) {
    for (const each of document.querySelectorAll(`${where}:not([${name}="${value}"])`)) {
      each.setAttribute(name, value);
    }
  }
}).observe(document.getElementById('main'), { childList: true, subtree: true });

/** A link inside of the button that opens a call would be a control in a control: its text stays. */
const textForLink =
  (_link, { React }) =>
  ({ text }) =>
    React.createElement('span', null, text);

SwaggerUIBundle({
  dom_id: '#main',
  url: '/openapi.json',
  deepLinking: true,
  docExpansion: 'none',
  // The objects are a page of the reference.
  defaultModelsExpandDepth: -1,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  syntaxHighlight: { activated: false },
  plugins: [{ wrapComponents: { DeepLink: textForLink } }],
});
