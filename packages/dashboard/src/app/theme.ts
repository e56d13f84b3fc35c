import { Anchor, createTheme } from '@mantine/core';

// The Content-Security-Policy allows no <style> made at run time. So the variables are a file
// (theme.css), there is no visibleFrom, and a modal does not lock the scroll by a style element.
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Colour alone does not tell a link from the text around it.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // Modal is named here, because importing it would load dialogs with the first page.
    Modal: {
      defaultProps: { lockScroll: false, centered: true, overlayProps: { backgroundOpacity: 0.5 } },
      // The name of an account may be long, and without a place to break it.
      styles: { title: { fontWeight: 600, lineHeight: 1.3, overflowWrap: 'anywhere' } },
    },
  },
});
