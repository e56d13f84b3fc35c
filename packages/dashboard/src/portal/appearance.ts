import type { PortalSession } from '../api/types.js';
import { accentColors } from './accent.js';

type Appearance = PortalSession['appearance'];

const dark = matchMedia('(prefers-color-scheme: dark)');
const systemScheme = () => (dark.matches ? ('dark' as const) : ('light' as const));

/**
 * Follows the system's colour scheme until the product's choice is known. Otherwise a dark page would flash white.
 */
export const followSystem = (): void =>
  document.documentElement.setAttribute('data-mantine-color-scheme', systemScheme());

/** Gives the page the product's colour through the object model, because the policy allows no style in the markup. */
export function wearAccent({ accent_color: accent, color_scheme: wanted }: Appearance): void {
  const wear = () => {
    const scheme = wanted === 'auto' ? systemScheme() : wanted;
    for (const [name, value] of Object.entries(accentColors(accent ?? '', scheme) ?? {})) {
      document.documentElement.style.setProperty(name, value);
    }
  };
  wear();
  dark.addEventListener('change', wear);
}
