import { describe, expect, it } from '@jest/globals';
import { accentColors } from './accent.js';

const FILLED = '--mantine-color-indigo-filled';
const LINK = '--mantine-color-anchor';

describe('the accent of a product', () => {
  it('is taken as it is where white can be read on it', () => {
    expect(accentColors('#3b5bdb', 'light')?.[FILLED]).toBe('#3b5bdb');
    expect(accentColors('#3B5BDB', 'dark')?.[FILLED]).toBe('#3b5bdb');
  });

  it('is made darker for buttons where it is too pale, and lighter for links on dark', () => {
    const light = accentColors('#ffd43b', 'light');
    const dark = accentColors('#1a1a5e', 'dark');
    expect(brightness(light?.[FILLED])).toBeLessThan(brightness('#ffd43b'));
    expect(brightness(dark?.[LINK])).toBeGreaterThan(brightness('#1a1a5e'));
    expect(dark?.[FILLED]).toBe('#1a1a5e');
  });

  it.each(['#000000', '#ffffff', '#ff0000', '#00ff00', '#7f7f7f', '#0b7285'])(
    'comes to colours alone of %s',
    (accent) => {
      for (const scheme of ['light', 'dark'] as const) {
        const colors = Object.values(accentColors(accent, scheme) ?? {});
        expect(colors).toHaveLength(6);
        for (const color of colors) expect(color).toMatch(/^#[\da-f]{6}$/);
      }
    },
  );

  it.each(['red', '#fff', '#12345', '#1234567', 'url(//evil)', '#12345g', '#3b5bdb;x:y', ''])(
    'is none in “%s”',
    (text) => {
      expect(accentColors(text, 'light')).toBeUndefined();
    },
  );
});

const brightness = (color = ''): number =>
  [1, 3, 5].reduce((sum, at) => sum + Number.parseInt(color.slice(at, at + 2), 16), 0);
