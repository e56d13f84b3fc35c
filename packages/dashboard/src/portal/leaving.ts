/** The pages of the portal; anything else of ours may not be framed, and the product is not to be left. */
const INSIDE = /^\/portal(\/|$)/;

/** Opens links to other pages in new tabs, not in the product's frame. */
export function leaveInNewTabs(): void {
  document.addEventListener(
    'click',
    ({ target }) => {
      const link = target instanceof Element ? target.closest('a') : null;
      if (!link || link.hasAttribute('download')) return;
      const { origin, pathname } = new URL(link.href, location.href);
      if (origin === location.origin && INSIDE.test(pathname)) return;
      link.target = '_blank';
      link.rel = 'noopener noreferrer';
    },
    true,
  );
}
