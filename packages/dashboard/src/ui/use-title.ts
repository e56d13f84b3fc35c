import { useEffect } from 'react';

/** Names the page in the browser's tab and to a screen reader. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Junction`;
  }, [title]);
}
