// Loaded before the first paint: the scheme that was chosen in the dashboard holds here too. Everything on these
// pages works without this file.
(() => {
  try {
    const chosen = localStorage.getItem('mantine-color-scheme-value');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.scheme = chosen;
  } catch {
    // Storage is blocked: follow the system.
  }

  addEventListener('DOMContentLoaded', () => {
    if (navigator.clipboard === undefined) return;
    for (const block of document.querySelectorAll('article pre')) block.before(frame(block));
  });

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
