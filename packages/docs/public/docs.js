// Loaded before the first paint: the scheme that was chosen in the dashboard holds here too. Everything on these
// pages works without this file.
(() => {
  try {
    const chosen = localStorage.getItem('mantine-color-scheme-value');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.scheme = chosen;
  } catch {
    // Storage is blocked: follow the system.
  }

  const { search, texts } = document.currentScript.dataset;
  const openSearch = () => void import(search).then(({ open }) => open(texts));

  addEventListener('DOMContentLoaded', () => {
    explain(location.hash);
    // Examples ask the gateway that serves this page.
    for (const place of document.querySelectorAll('.origin')) place.textContent = location.origin;
    document.querySelector('.search-button').addEventListener('click', openSearch);
    if (navigator.clipboard === undefined) return;
    for (const block of document.querySelectorAll('article pre')) block.before(frame(block));
  });

  addEventListener('keydown', (event) => {
    const isKey = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    const [target] = event.composedPath();
    if (!isKey || target.closest?.('input, textarea, select, [contenteditable]')) return;
    event.preventDefault();
    openSearch();
  });

  /** The type of a problem leads to the row of its code, and that to its explanation. */
  function explain(anchor) {
    const row = document.getElementById(anchor.slice(1));
    if (row?.matches('td > a[href]')) location.replace(row.href);
  }

  /** A button beside the block that copies it, and says so. */
  function frame(block) {
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'copy';
    copy.textContent = 'Copy';
    copy.setAttribute('aria-live', 'polite');
    const say = (words) => {
      copy.textContent = words;
      setTimeout(() => (copy.textContent = 'Copy'), 2_000);
    };
    copy.addEventListener('click', () => {
      navigator.clipboard.writeText(block.textContent.trimEnd()).then(
        () => say('Copied'),
        () => say('Not copied'),
      );
    });
    return copy;
  }
})();
