// Starts Scalar on the page where the API is tried out. It asks nobody but this origin: no proxy, no fonts, no
// telemetry, no assistant.
const { scheme } = document.documentElement.dataset;
const isDark =
  scheme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : scheme === 'dark';

Scalar.createApiReference('#scalar', {
  url: '/openapi.json',
  servers: [{ url: location.origin }],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideDarkModeToggle: true,
  persistAuth: false,
  theme: 'none',
  authentication: { preferredSecurityScheme: 'bearer' },
  forceDarkModeState: isDark ? 'dark' : 'light',
});
