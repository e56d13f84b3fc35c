/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The surfaces that links stand on, the worse of each scheme (theme.css). */
const LIGHT_SURFACE: Rgb = [241, 243, 249];
const DARK_SURFACE: Rgb = [35, 39, 51];
/** Contrast of text with its background: WCAG 2.2, 1.4.3 asks for 4.5; the rest is a margin for rounding. */
const CONTRAST_MIN = 4.6;
const STEPS = 50;

/**
 * The colours of buttons and links that a product's own one comes to: as it is where it can be read, and else darker or
 * lighter. Nothing but `#rrggbb` is a colour; undefined for anything else.
 */
export function accentColors(accent: string, scheme: 'light' | 'dark') {
  const color = parsed(accent);
  if (color === undefined) return undefined;
  const filled = readable(color, WHITE, BLACK);
  const isLight = scheme === 'light';
  const surface = isLight ? LIGHT_SURFACE : DARK_SURFACE;
  const tint = mixed(surface, color, 0.12);
  return {
    '--mantine-color-indigo-filled': hex(filled),
    '--mantine-color-indigo-filled-hover': hex(mixed(filled, BLACK, 0.12)),
    '--mantine-color-anchor': hex(readable(color, surface, isLight ? BLACK : WHITE)),
    '--mantine-color-indigo-light': hex(tint),
    '--mantine-color-indigo-light-hover': hex(mixed(surface, color, 0.16)),
    '--mantine-color-indigo-light-color': hex(readable(color, tint, isLight ? BLACK : WHITE)),
  };
}

function parsed(text: string): Rgb | undefined {
  if (!/^#[\da-f]{6}$/i.test(text)) return undefined;
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The first step from the colour towards the other that can be read on, or under, this one. */
function readable(color: Rgb, on: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const candidate = mixed(color, towards, step / STEPS);
    if (contrast(candidate, on) >= CONTRAST_MIN) return candidate;
  }
  return towards;
}

const mixed = (one: Rgb, other: Rgb, share: number): Rgb => {
  const [red, green, blue] = one.map((part, at) =>
    Math.round(part + ((other[at] ?? 0) - part) * share),
  );
  return [red ?? 0, green ?? 0, blue ?? 0];
};

const hex = (color: Rgb): string =>
  `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** WCAG 2.2, contrast ratio. */
function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
