// Runs before the first paint, so that a dark page does not flash white, nor a header on a page that has
// none. A file of its own because the Content-Security-Policy allows no inline script.
(() => {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const wear = () => {
    let chosen = 'auto';
    try {
      chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
    } catch {
      // Storage is blocked: follow the system.
    }
    const system = dark.matches ? 'dark' : 'light';
    const scheme = chosen === 'light' || chosen === 'dark' ? chosen : system;
    root.setAttribute('data-mantine-color-scheme', scheme);
  };
  wear();
  dark.addEventListener('change', wear);

  // The pages with a header. Whoever is not signed in sees one without.
  const INSIDE = ['', 'integrations', 'webhooks', 'deliveries', 'events', 'account', 'operations'];
  const isIn = document.cookie.split('; ').includes('__Secure-jn_in=1');
  const section = location.pathname.split('/')[1] ?? '';
  root.setAttribute('data-frame', isIn && INSIDE.includes(section) ? section : 'none');
})();
