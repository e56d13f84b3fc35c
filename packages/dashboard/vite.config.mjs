import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2022',
    // An asset inlined as a data: URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: ['index.html', 'portal.html'] },
    // By which the test knows what a page loads; dot files are not served.
    manifest: true,
    // What counts is the script of the first load, compressed: test/bundle.tools.test.ts holds it to 200 KB.
    chunkSizeWarningLimit: 1_000,
  },
});
