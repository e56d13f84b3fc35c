import { Anchor, createTheme } from '@mantine/core';

// The Content-Security-Policy allows no <style> made at run time. So the variables are a file
// (theme.css), and there is no visibleFrom.
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Colour alone does not tell a link from the text around it.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
  },
});
