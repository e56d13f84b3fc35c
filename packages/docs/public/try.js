// Starts Swagger UI on the page where the API is tried out. It asks nobody but this origin.
const { scheme } = document.documentElement.dataset;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => {
  const isDark = scheme === undefined ? prefersDark.matches : scheme === 'dark';
  document.documentElement.classList.toggle('dark-mode', isDark);
};
follow();
prefersDark.addEventListener('change', follow); // a system turns dark in the evening

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
});
