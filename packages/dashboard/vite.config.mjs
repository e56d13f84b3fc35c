import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2022',
    // An asset inlined as a data: URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'portal.html'],
      // Libraries mark their modules with "use client", which means nothing in a bundle.
      checks: { moduleLevelDirective: false },
    },
    // The manifest tells the test which files a page loads. Users cannot read it, because dot files are not served.
    manifest: true,
    // The limit that counts is that of the scripts of the first load, compressed: test/bundle.tools.test.ts holds
    // them to 200 KB.
    chunkSizeWarningLimit: 1_000,
  },
});
